import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0237: The native compiler of TypeScript 7 builds the service and checks its types","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0237-the-native-compiler-builds-and-checks.md","filePath":"adr/operations/0237-the-native-compiler-builds-and-checks.md"}');
const _sfc_main = { name: "adr/operations/0237-the-native-compiler-builds-and-checks.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0237-the-native-compiler-of-typescript-7-builds-the-service-and-checks-its-types" tabindex="-1">0237: The native compiler of TypeScript 7 builds the service and checks its types <a class="header-anchor" href="#_0237-the-native-compiler-of-typescript-7-builds-the-service-and-checks-its-types" aria-label="Permalink to &quot;0237: The native compiler of TypeScript 7 builds the service and checks its types&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p><code>npm start</code>, <code>npm test</code> and the image compile a thousand files. TypeScript 6 took 28 s of processor time for that, and 57 s for the types of the service, the tests and the console. A first start waited 25 s for the build on two cores. TypeScript 7, which was among the packages already for the test of the client&#39;s consumers, is a native program: 7.5 s and 18 s. It writes the same modules and declarations, except for two pairs of needless parentheses.</p><p>TypeScript 7 has no stable API for programs yet. <code>typescript-eslint</code>, the guards and the schema&#39;s comments need that of TypeScript 6.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>npm run build</code>, the declarations of the client, the benches and <code>npm run typecheck</code> use the compiler of <code>typescript-7</code>. The linter and tools import <code>typescript</code>, which is 6. Code has to be correct for both. The type of an answer is that of its operation alone (<code>NoInfer</code> in <code>src/api/binding/route.ts</code>): the two compilers inferred it differently from handlers, and TypeScript 6 accepted answers that the contract does not have.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>An editor that uses the workspace&#39;s <code>typescript</code> may accept what the build refuses. When TypeScript 7 has the API that the linter needs, one package remains.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0237-the-native-compiler-builds-and-checks.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0237TheNativeCompilerBuildsAndChecks = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0237TheNativeCompilerBuildsAndChecks as default
};
