import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0207: What buyers read of a registration is verified before it serves","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/catalogue/0207-what-buyers-read-is-verified-first.md","filePath":"adr/catalogue/0207-what-buyers-read-is-verified-first.md"}');
const _sfc_main = { name: "adr/catalogue/0207-what-buyers-read-is-verified-first.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0207-what-buyers-read-of-a-registration-is-verified-before-it-serves" tabindex="-1">0207: What buyers read of a registration is verified before it serves <a class="header-anchor" href="#_0207-what-buyers-read-of-a-registration-is-verified-before-it-serves" aria-label="Permalink to &quot;0207: What buyers read of a registration is verified before it serves&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Supersedes in part <a href="./0024-a-registration-is-a-version-without-schemas">ADR 0024</a>: name, icon, vertical and description are verified before they serve.</li><li>Supersedes in part <a href="./0103-a-registration-may-declare-what-a-manifest-declares">ADR 0103</a>: a change of the description is verified, too.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A change of name, description, vertical or icon of a self-hosted agent went live at once. An agent could be verified under one name and sell under another a second later. The contract names endpoint and price only (&quot;a new endpoint or price re-verifies&quot;). A manifest could be kept as a draft, a registration could not.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>What buyers read is part of what is verified: such a change makes a version that goes live by its verification, like a new endpoint. Upstream credential and payment address keep their own rules. <code>submit: false</code> of <code>POST /v1/agents/register</code> stores version <code>1.0.0</code> as a draft; <code>PATCH</code> takes the same field, and a change of a draft stays one. A draft that is replaced is withdrawn. When the only draft is deleted, the agent and its slug remain, and registering the slug again begins anew with <code>1.0.0</code>.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A rename waits for a run, and one of an agent that does not answer is rejected while the old name serves. Several renames in a row replace each other before they are verified.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/catalogue/0207-what-buyers-read-is-verified-first.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0207WhatBuyersReadIsVerifiedFirst = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0207WhatBuyersReadIsVerifiedFirst as default
};
