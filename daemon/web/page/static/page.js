// Comfort for a page that works without it: no form is sent twice, lists follow their filters, criteria show what they
// would change while one types, and the day's work is looked at again every few seconds.

const LOOK_AGAIN = 10_000;
const TYPED = 400;

// Those too that a part of the page brings later.
addEventListener("submit", ({ target: form }) => {
  if (form.method !== "post") return;
  // After the submission has taken the pressed button's value with it.
  setTimeout(() => form.querySelectorAll("button").forEach((button) => (button.disabled = true)));
});
// A page that comes back from the browser's memory is as it was before it was sent.
addEventListener("pageshow", () => document.querySelectorAll("button[disabled]").forEach((button) => (button.disabled = false)));

for (const form of document.querySelectorAll("form[data-submits]")) {
  form.addEventListener("change", (event) => {
    if (event.target.matches("select, input[type=checkbox]")) form.requestSubmit();
  });
}

// Bring parts of this page up to date with the page at an address; not the one that the person is in.
async function replaceParts(ids, address, signal) {
  const answer = await fetch(address, { headers: { Accept: "text/html" }, signal });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ids) {
    const [found, part] = [page.getElementById(id), document.getElementById(id)];
    if (found && part && !part.contains(document.activeElement)) part.replaceChildren(...found.childNodes);
  }
}

for (const form of document.querySelectorAll("form[data-previews]")) {
  let waiting;
  let asking = new AbortController();
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      asking.abort();
      asking = new AbortController();
      const part = document.getElementById("preview");
      part.setAttribute("aria-busy", "true");
      try {
        await replaceParts(["preview"], `/criteria?${new URLSearchParams(new FormData(form))}`, asking.signal);
      } catch (error) {
        if (error.name !== "AbortError") console.warn(error.message);
      }
      part.removeAttribute("aria-busy");
      // On a phone the preview lies at the foot of the window: not over what is being written.
      document.activeElement?.scrollIntoView({ block: "nearest" });
    }, TYPED);
  });
}

const live = [...document.querySelectorAll("[data-live]")].map((part) => part.id);
if (live.length) {
  setInterval(() => {
    if (document.visibilityState !== "visible") return;
    replaceParts(live, location.pathname).catch((error) => console.warn(error.message));
  }, LOOK_AGAIN);
}
