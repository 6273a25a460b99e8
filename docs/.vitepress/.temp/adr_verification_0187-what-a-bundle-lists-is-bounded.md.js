import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0187: A bundle lists at most 25,000 packages, and what cannot be read is a gap","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/verification/0187-what-a-bundle-lists-is-bounded.md","filePath":"adr/verification/0187-what-a-bundle-lists-is-bounded.md"}');
const _sfc_main = { name: "adr/verification/0187-what-a-bundle-lists-is-bounded.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0187-a-bundle-lists-at-most-25-000-packages-and-what-cannot-be-read-is-a-gap" tabindex="-1">0187: A bundle lists at most 25,000 packages, and what cannot be read is a gap <a class="header-anchor" href="#_0187-a-bundle-lists-at-most-25-000-packages-and-what-cannot-be-read-is-a-gap" aria-label="Permalink to &quot;0187: A bundle lists at most 25,000 packages, and what cannot be read is a gap&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A bundle of 398 KB listed 158,709 packages, which became 28 MB of rows for each version. A name with a NUL, a name of 5,000 letters and two names with different halves of a character were refused by Postgres, and the run was repeated for hours. Deep nesting in YAML ended the process. The specification says what is examined, not how much of it.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>Each name and version passes <code>createPackageList</code> before it is evidence; what does not pass is counted as <code>unreadable_packages</code>. So no text of a developer reaches SQL unchecked.</li><li>A version of an agent has at most 25,000 packages and 50 versions of one package. Direct dependencies are taken first. The rest is <code>too_many_packages</code>.</li><li>TOML, YAML and JSON nest at most 100 levels; the depth is counted before a parser recurses.</li><li>YAML is parsed by <code>js-yaml</code> instead of <code>yaml</code>: it takes linear time for maps (the check for equal keys of <code>yaml</code> is quadratic: more than 40 s for 340,000 keys), has a limit of depth, and refuses each syntax error.</li><li>A manifest that cannot be read lowers the coverage. Until now it counted as a bundle without dependencies, which has full points.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>An agent with a broken manifest or lockfile loses points of coverage that it had without a reason. A bundle of several projects with more than 25,000 packages has incomplete coverage; its findings are those of the packages that are examined.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/verification/0187-what-a-bundle-lists-is-bounded.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0187WhatABundleListsIsBounded = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0187WhatABundleListsIsBounded as default
};
