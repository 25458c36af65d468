"""Incruit's markup: two company templates, a posting's page, the login page. Tags are as untidy as the real ones."""

# ruff: noqa: E501 - the lines are as long as the site's own

from __future__ import annotations

_HEAD = """<!DOCTYPE html>
<html lang="ko"><head><title>{company} 채용</title>
<meta http-equiv="Content-Type" content="text/html;charset=euc-kr">
</head>
"""

_LOGIN_LINK = (
    '<button type="button" class="cLink" onclick="location.href=\'https://edit.incruit.com/login/login.asp'
    "?gotoURL=https%3A%2F%2Frecruit%2Eincruit%2Ecom%2F{slug}%2Fjob%2F';\"><span>로그인</span></button>"
)

CARD_LIST = (
    _HEAD
    + '<body>\n<div id="header"><a href="//recruit.incruit.com/{slug}/">{company}</a>'
    + _LOGIN_LINK
    + """</div>
<div class="list-item-box"><ul>
{items}
</ul></div>
</body></html>
"""
)

CARD = (
    '<li><div class="inner-box"><span class="state">{state}</span><em class="date" title="접수기간">{period}</em>'
    '<span class="title">{title}</span><a class="btn btn-right link--full" href="//recruit.incruit.com/{slug}/job/{id}">'
    "자세히 보기</a></div></li>\n"
)

BANK_LIST = (
    _HEAD
    + '<body>\n<div class="top">'
    + _LOGIN_LINK
    + """</div>
<div class="bbslist_ty_a" " title="채용공고"><ul>
{items}
</ul></div>
<script>if(navigator.userAgent.indexOf('iPad')>-1){{location.href='//m.incruit.com/{slug}';}}</script>
</body></html>
"""
)

BANK_ITEM = (
    "<li><a href=\"//recruit.incruit.com/{slug}/job/{id}\" onclick=\"return goCL(this,'18849','job','공고');\" \">"
    '<strong class="title">{title}</strong><span class="state">{state}</span>'
    '<span class="day">접수기간 <em>{period}</em></span></a></li>\n'
)

NOTHING = '<li class="no-data">진행중인 채용공고가 없습니다.</li>'

DETAIL = (
    _HEAD
    + '<body>\n<div id="header"><a href="//recruit.incruit.com/{slug}/job/">채용공고</a>'
    + _LOGIN_LINK
    + """</div>
<div id="contents"><div class="view-top"><h2 class="title">{title}	</h2><strong class="dday">{dday}</strong>
<input type="hidden" name="ExpireTime" id="ExpireTime" value="{seconds}">
<dl class="period"><dt>접수기간</dt><dd>{opened} ~ {closes}</dd></dl></div>
<div class="view-cont">
{text}
</div>
<div class="view-btm"><a href="//recruit.incruit.com/{slug}/job/" class="btn">목록</a></div>
</div>
<div class="dPosLayer homepage-login" id="layer-homepage-login"><a href="https://edit.incruit.com/login/login.asp?gotoURL=https%3A%2F%2Frecruit%2Eincruit%2Ecom%2F{slug}%2Fjob%2F{id}" class="wF on"><span>관심기업 추가</span></a></div>
</body></html>
"""
)

LANDING = (
    _HEAD
    + """<body><h1>{company} 채용 홈페이지</h1>
<a href="//recruit.incruit.com/{slug}/job/">채용공고 보기</a>
</body></html>
"""
)

LOGIN = """<!DOCTYPE html>
<html lang="ko"><head><title>로그인 - 인크루트</title>
<meta http-equiv="Content-Type" content="text/html;charset=euc-kr">
</head>
<body><div id="g_form_login_box"><form name="frmLogin" method="post" action="https://edit.incruit.com/login/loginok.asp">
<input type="text" name="txtUserID" id="txtUserID"><input type="password" name="txtUserPasswd" id="txtUserPasswd">
<button type="submit">로그인</button></form></div>
</body></html>
"""

NOT_FOUND = """<!DOCTYPE html>
<html lang="ko"><head><title>인크루트</title><meta http-equiv="Content-Type" content="text/html;charset=euc-kr"></head>
<body><p>요청하신 페이지가 존재하지 않습니다.</p></body></html>
"""
