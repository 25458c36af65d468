"""Saramin's markup, in the shape of stored answers: quirks of white space, quoting and missing blanks included."""

# ruff: noqa: E501 - the lines are as long as the site's own

from __future__ import annotations

PAGE = """<!DOCTYPE html>
<html lang="ko">
<head>
    <meta http-equiv="Content-Type" content="text/html; charset=utf-8">
    <title>직업별 채용정보 - 사람인</title>
    <meta name="description" content="직업별 채용정보">
</head>
<body>
<div id="sri_wrap"><div id="content">
<script>var categories = {{"job_category":[{{"code":"84","name":"백엔드\\/서버개발"}},{{"code":"92","name":"프론트엔드"}}]}};</script>
{ads}
<div class="common_recruilt_list">
            <div class="area_title list_total_count">
            <h2>전체 채용정보</h2>
            <span class="total_count"><em>{total}</em>건</span>
        </div>
        <div class="list_info">
    <div class="list_select">
        <div class="InpBox">
            <select name="page_count" id="page_count">
                {sizes}            </select>
        </div>
        <div class="InpBox">
            <select name="sort" id="sort">
                <option value="RL" selected>추천순</option><option value="RD" >최신순</option><option value="MD" >수정순</option><option value="EA" >마감순</option>            </select>
        </div>
    </div>
</div>    <div id="default_list_wrap" style="position:relative">
        <section class="list_recruiting">
    <h2 class="blind">공고리스트</h2>
    <div class="list_body">
        {rows}
    </div>
</section>
    </div>
    <div class="PageBox">
{pager}
            </div>
    </div>
</div></div>
</body>
</html>
"""

ADS = """    <div class="wrap_list_banner">
        <div class="area_title"><h2 class="tit_banner tit_premium">요즘 뜨는 공고</h2></div>
        <ul class="list_product list_premium container_all ">
{cards}        </ul>
    </div>
"""

AD = """                    <li class="item lookup" id="{kind}_link_{id}">
            <a href="/zf_user/jobs/relay/view?view_type=list&rec_idx={id}" target="_blank"
               onclick="try{{s_trackApply(this, 'jobcategory_recruit', '{kind}_recruit', '', 102, {{}});}}catch(e){{}};"
               title="{title}"  onmousedown="Saramin.clickAds({id}, 'ads_category={kind}_recruit')" rel="sponsored">
                <strong class="tit ellipsis">{title}</strong>
                <span class="corp">{company}</span>
                <ul class="desc">
                                            <li class="company_local ellipsis">{place}</li>
                                        <li>신입/경력</li>
                    <li>학력무관</li>
                </ul>
                                <span class="date ">{date}</span>
            </a>
            <button onclick="Saramin.scrapJob(this,'','banner', 'layer');" scraped="n" rec_idx="{id}" class="btn_scrap scrap-{id}" title="스크랩"></button>        </li>
"""

COMPANY_LINK = """<a href="/zf_user/company-info/view-inner-recruit?csn={csn}"
                           class="str_tit" target="_blank">
                            {name}                        </a>"""

COMPANY_SPAN = """<span class="str_tit">{name}</span>"""

BADGE = """                                    <div class="job_badge">
                                                                            <span class="mActive">
                                                                    <svg>
                                        <use xlink:href='#rec_title_tag_emoji_mActive'></use>
                                    </svg>
                                                                {text}                            </span>
                                                                    </div>
"""

APPLY_HOMEPAGE = (
    '<a  class="sri_btn_md" href="/zf_user/jobs/relay/view?view_type=list&amp;rec_idx={id}" target="_blank"'
    ' title="홈페이지 지원"><span class="sri_btn_homepage_apply" >홈페이지 지원</span></a>'
)

APPLY_NOW = (
    '<button  class="sri_btn_md" title="클릭하면 입사지원할 수 있는 창이 뜹니다."'
    ' onclick="try{{quickApplyForm(&#39;{id}&#39;,&#39;&#39;,&#39;t_category=jobcategory_recruit&t_content=general&#39;,'
    ' &#39;&#39;); return false;}} catch (e) {{}}; return false;"><span class="sri_btn_immediately" >입사지원</span></button>'
)

ROW = """
        <div id="rec-{id}" class="list_item{effect}">
        <div class="box_item">
                            <div class="col company_nm">
                                            {company}
                                        <button  type="button" csn="{csn}" title="관심기업 등록" del_fl="n" aria-pressed="false" class="interested_corp" onclick="try{{Saramin.btnJob(&#39;favor&#39;, this, &#39;&#39;, &#39;list&#39;);}}catch(e){{}}" first_nudge="off"><span>관심기업 등록</span></button>                                            {mark}
                                                        </div>
                        <div class="col notification_info">
                <div class="job_tit">
                    <a class="str_tit " id="rec_link_{id}" onclick="s_trackApply(this, &#39;jobcategory_recruit&#39;, &#39;general&#39;);" title="{title_attribute}" href="/zf_user/jobs/relay/view?view_type=list&amp;rec_idx={id}{ads_item}" target="_blank"onmousedown=""><span>{title}</span></a>                     <button type="button" onclick="Saramin.btnJob('scrap',this,'','list');" title="스크랩" scraped="n" rec_idx="{id}" imgType="button" class="spr_scrap btn_scrap scrap-{id} off"><span class="blind">스크랩</span></button>                </div>
                <div class="job_meta">
                    <span class="job_sector">
                      {sectors} 외                    </span>
                </div>
{badge}                            </div>
            <div class="col recruit_info">
                <ul>
                                            <li>
                            <p class="work_place">{place}</p>
                        </li>
                                                                <li>
                            <p class="career">{career}</p>
                        </li>
                                                                <li>
                            <p class="education">{education}</p>
                        </li>
                                                        </ul>
            </div>
            <div class="col support_info">
                {apply}                <p class="support_detail">
                    <span class="date">{date}</span>
                    <span class="deadlines">{age}</span>
                </p>
            </div>
        </div>
        <div class="similar_recruit"></div>
    </div>
"""

SHELL = """<!DOCTYPE html>
<html lang="ko">
<head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<title>[{company}] {title}{dday} - 사람인</title>
<link rel="canonical" href="https://www.saramin.co.kr/zf_user/jobs/view?rec_idx={id}">
<meta name="description" content="{company}, {title}{described}, 홈페이지:example.com">
<meta property="og:title" content="[{company}] {title}{dday} - 사람인">
<meta property="og:url" content="https://www.saramin.co.kr/zf_user/jobs/view?rec_idx={id}">
</head>
<body>
<section class="jview jview-0-{id}" data-rec_idx="{id}">
<div class="wrap_jv_header"><div class="jv_header"><h1 class="tit_job">{title}</h1></div></div>
<div class="jv_cont jv_howto"><div class="status"><dl class="info_period">{period}</dl></div></div>
<div class="jv_cont jv_detail"><iframe id="iframe_content_0" src="/zf_user/jobs/relay/view-detail?rec_idx={id}&rec_seq=0"></iframe></div>
</section>
</body>
</html>
"""

TEXT = """<!DOCTYPE html><html lang="ko"><head><meta charset="utf-8"></head>
<body><div class="user_content">{text}</div></body></html>
"""

GONE = """<!DOCTYPE html><html lang="ko"><head><meta charset="utf-8"><title>사람인</title></head>
<body><div class="wrap_error"><p>요청하신 페이지를 찾을 수 없습니다.</p></div></body></html>
"""
