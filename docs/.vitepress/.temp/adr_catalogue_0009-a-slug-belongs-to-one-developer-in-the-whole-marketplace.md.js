import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0009: A slug belongs to one developer in the whole marketplace","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/catalogue/0009-a-slug-belongs-to-one-developer-in-the-whole-marketplace.md","filePath":"adr/catalogue/0009-a-slug-belongs-to-one-developer-in-the-whole-marketplace.md"}');
const _sfc_main = { name: "adr/catalogue/0009-a-slug-belongs-to-one-developer-in-the-whole-marketplace.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0009-a-slug-belongs-to-one-developer-in-the-whole-marketplace" tabindex="-1">0009: A slug belongs to one developer in the whole marketplace <a class="header-anchor" href="#_0009-a-slug-belongs-to-one-developer-in-the-whole-marketplace" aria-label="Permalink to &quot;0009: A slug belongs to one developer in the whole marketplace&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The specification calls a slug &quot;unique within the developer account&quot;. It also names agents <code>agt_&lt;slug&gt;_v&lt;major&gt;</code> and reads them at <code>/v1/listings/slug/{slug}</code>, without a developer in either.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A slug belongs to one developer in the whole marketplace: 409 <code>slug_taken</code>. The first stored version claims it, drafts included, and it is never freed. Versions are ordered for each slug over all majors; each major is a separate agent.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Names can be squatted; the registration fee is the price of trying. A retired agent keeps its name, so that an id never changes its meaning.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/catalogue/0009-a-slug-belongs-to-one-developer-in-the-whole-marketplace.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0009ASlugBelongsToOneDeveloperInTheWholeMarketplace = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0009ASlugBelongsToOneDeveloperInTheWholeMarketplace as default
};
