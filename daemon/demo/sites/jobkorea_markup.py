"""JobKorea's markup, in the shape of stored answers of 2024 to 2026."""

# ruff: noqa: E501 - the lines are as long as the site's own

from __future__ import annotations

PAGE = """<!DOCTYPE html>
<html lang="ko"><head><meta charset="utf-8"><title>직무별 채용정보 | 잡코리아</title></head>
<body>
<div id="content" class="clear" data-pagecode="AM">
<h1 class="skip">메뉴별 채용공고</h1>
<div id="dev-gi-list">
	<div class="tplJobListWrap devTplTabBx">
		<h2 class="bn_hd_2 blind">채용공고 리스트</h2>
		<input type="hidden" id="hdnGICnt" value=" {total}" />
		<div class="tplTabBx jobListTab"><ul class="tplTab clear" id="anchorGICnt_1"><li class="on" data-tab-index="0"><button type="button"><span data-text="전체">전체 <em>({total}건)</em></span></button></li></ul></div>
		<div class="tplList tplJobList">
			<table summary="전체 채용정보 목록">
				<thead><tr><th scope="col">행 선택</th><th scope="col">회사명</th><th scope="col">채용제목</th><th scope="col">미리보기</th><th scope="col">등록일·마감일</th></tr></thead>
				<tbody>
{rows}
				</tbody>
			</table>
		</div>
		<div id="dvGIPaging">
			<div class="tplPagination newVer">
				<ul><li><span class="now" data-page="1">1</span></li>{pages}</ul>
				{following}
			</div>
		</div>
	</div>
</div>
</div>
</body></html>
"""

NEXT = '<p><a href="/recruit/_GI_List?Page=11" class="tplBtn btnPgnNext" data-page="11">다음<i class="ico"></i></a></p>'

ROW = """<tr class="devloopArea" data-effectctgr-code="0" data-gno="{id}" data-index="{index}" data-info=" {id}|{legacy}|member{member}|C|AM||{member}" data-sccode="611">
<th scope="row">
<span class="tplChkRect tplChkRect_1"><input id="ckb_normal_{id}" name="gno" title="현재 행 선택" type="checkbox"/></span>
</th>
<td class="tplCo">
<!--app.svcFunc.clickCnt-->
<a class="link normalLog" data-clickctgrcode="B01" href="/Recruit/Co_Read/C/{member}" target="_blank">{company}</a>
<button class="tplBtnTy tplBtnFavOff dev-favor dev-tplBtnFav-{member}" data-mem-sys="{member}" type="button"><span class="blind">관심기업</span></button>
<div class="typ">
</div>
</td>
<td class="tplTit">
<div class="titBx">
<strong><a class="link normalLog" data-clickctgrcode="B02" href="/Recruit/GI_Read/{id}?rPageCode=AM&amp;logpath=21&amp;sn=6&amp;sc=611" target="_blank" title="{title}">{title}</a></strong>
<button class="tplBtnTy dev-scrap dev-tplBtnScr-{legacy} tplBtnScrOff" data-brazeinfo="{braze}" type="button"><span class="blind">스크랩</span></button>
<p class="etc">
{cells}
</p>
<p class="dsc">{keywords}</p>
</div>
</td>
<td class="tplPrv">
<button class="lstBtn lstBtnPreview devReadPreview" data-gno="{id}" type="button">
<span class="lstIe">미리보기</span>
</button>
</td>
<td class="odd">
<button class="tplBtn tplBtn_1 tplBtnOrg dev-btn-apply" data-sccode="613" type="button"><span>즉시지원</span></button>
<span class="time dotum">{age}</span>
{deadline}
</td>
</tr>"""

DETAIL = """<!DOCTYPE html><html lang="ko" data-sentry-component="RootLayout"><head><meta charSet="utf-8"/><title>{company} 채용 - {title} | 잡코리아</title><meta name="description" content="경력 : 경력무관, 학력 : 학력무관, 급여 : 면접 후 결정{described}"/><meta name="writer" content="{company}"/><meta property="og:title" content="{company} 채용 - {title} | 잡코리아"/><meta property="og:url" content="https://www.jobkorea.co.kr/Recruit/GI_Read/{id}"/><meta property="og:site_name" content="잡코리아"/></head><body><div hidden=""><!--$--><!--/$--></div><script type="application/ld+json" data-sentry-component="JobPostingSchema" data-sentry-source-file="JobPostingSchema.tsx">{json_ld}</script><main><div data-sentry-component="Title"><div data-sentry-component="CompanyName"><a href="https://www.jobkorea.co.kr/Recruit/Co_Read/C/{member}"><h2 class="font-medium underline">{company}</h2></a></div><div data-sentry-component="TitleContent"><h1 class="font-bold">{title}</h1></div></div><div id="details-section" data-sentry-component="IframeViewer"><div class="flex flex-col" id="parent-frame"></div></div><div data-sentry-component="RecruitmentGuidelines"><span>모집요강</span><div data-sentry-component="RecruitmentItem"><div><span>고용형태</span></div><div><span>{employment}</span></div></div><div data-sentry-component="RecruitmentItem"><div><span>근무지주소</span></div><div><span>{place}</span></div></div></div><aside><a data-gno="48000001" href="/Recruit/GI_Read/48000001">다른 공고</a><span>마감된 공고</span></aside></main><div hidden="" id="S:1"><template id="P:2"></template></div></body></html>
"""

FRAME = """<!DOCTYPE html><html lang="ko" data-sentry-component="RootLayout" data-jds-theme="jobkorea"><head><meta charset="utf-8"></head><body><div hidden=""><!--$--><!--/$--></div><div class="section-content " data-sentry-component="HtmlAutoResizeWrapperWidget"><div id="detail-content-header"></div><div id="details-section"><table style="width:100%" data-sentry-component="HtmlViewer"><tbody><tr><td class="detailTable" style="padding:0 !important"><div data-security-mode="restricted" id="detail-content"><article class="view-content view-detail dev-wrap-detailContents"><div id="dev-template-v2-root">
    <div class="detailed-summary-header"><div class="header-wrap dev-case-type case1" style="display: none;"><div class="header"><div class="subtitle"><p><b>채용제목을 입력해주세요</b></p></div></div></div>
    <div class="description-wrap"><div class="description">{text}</div></div></div>
</div></article></div></td></tr></tbody></table></div></div></body></html>
"""

HOME = """<!DOCTYPE html>
<html lang="ko"><head>
    <meta charset="utf-8">
    <title>잡코리아 | 대한민국 대표 구인구직, 취업 정보 &amp; 채용 플랫폼</title>
    <link rel="canonical" href="https://www.jobkorea.co.kr/">
    <meta property="og:url" content="https://www.jobkorea.co.kr/">
    <meta property="og:title" content="잡코리아 | 대한민국 대표 구인구직, 취업 정보 &amp; 채용 플랫폼">
    <script type="application/ld+json">{ "@context": "http://schema.org", "@id": "https://www.jobkorea.co.kr/#organization", "@type": "Organization", "name": "잡코리아", "url": "https://www.jobkorea.co.kr/" }</script>
</head><body>
<ul class="list"><li><a data-gno="48000002" href="/Recruit/GI_Read/48000002">추천 공고</a><span>D-17</span></li><li><a data-gno="48000003" href="/Recruit/GI_Read/48000003">추천 공고</a><span>상시채용</span></li></ul>
</body></html>
"""

NOT_FOUND = """<!DOCTYPE html><html lang="ko"><head><meta charset="utf-8"><title>잡코리아</title></head>
<body><p>페이지를 찾을 수 없습니다.</p></body></html>
"""
