import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0287: A developer has a public page","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/catalogue/0287-a-developer-has-a-public-page.md","filePath":"adr/catalogue/0287-a-developer-has-a-public-page.md"}');
const _sfc_main = { name: "adr/catalogue/0287-a-developer-has-a-public-page.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0287-a-developer-has-a-public-page" tabindex="-1">0287: A developer has a public page <a class="header-anchor" href="#_0287-a-developer-has-a-public-page" aria-label="Permalink to &quot;0287: A developer has a public page&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A listing names its developer, and the name led nowhere. Neither the specification nor the contract has a read of a developer.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>GET /v1/developers/{developer_id}</code> has the name, the time of the sign-up, the number of listed agents, and how many disputes of the last 365 days the developer answered or left unanswered, of the newest 1,000. It is open like listings (<code>PUBLIC_READS</code>). <code>GET /v1/listings?developer_id=</code> lists the agents. Only developers with an agent that can be called have a page; for all others the answer is 404, so that the ids of accounts cannot be probed.</p><p>How disputes ended is left out: a developer who accepts what went wrong would look worse than one who contests everything.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The address, earnings, bond and buyers of a developer are in no public answer.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/catalogue/0287-a-developer-has-a-public-page.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0287ADeveloperHasAPublicPage = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0287ADeveloperHasAPublicPage as default
};
