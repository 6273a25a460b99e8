import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0205: The Compose file and the manifests are checked by the Go libraries that load them","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/tests/0205-compose-and-manifests-are-checked-by-go.md","filePath":"adr/tests/0205-compose-and-manifests-are-checked-by-go.md"}');
const _sfc_main = { name: "adr/tests/0205-compose-and-manifests-are-checked-by-go.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0205-the-compose-file-and-the-manifests-are-checked-by-the-go-libraries-that-load-them" tabindex="-1">0205: The Compose file and the manifests are checked by the Go libraries that load them <a class="header-anchor" href="#_0205-the-compose-file-and-the-manifests-are-checked-by-the-go-libraries-that-load-them" aria-label="Permalink to &quot;0205: The Compose file and the manifests are checked by the Go libraries that load them&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Compose refused <code>docker-compose.yml</code>: an unquoted <code>? 0: 1</code> made a mapping of a command. A test read the file with a YAML parser and did not look at that line. kubeconform needs its schemas from the network and is rarely installed, so the manifests were often not checked at all.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>tools/ops-check</code> is a small Go program. It validates the file of Compose by the schema that compose-go contains, which is the published one, then loads the file with compose-go, the loader of Docker Compose, with every variable of <code>docker/compose.env.example</code> filled. It decodes each manifest strictly into the types of <code>k8s.io/api</code>. <code>npm run check:ops</code> builds it once for each version and machine, in half a minute, and keeps it beside the Temporal server. Each run also gives it a file with a mistake, which it must refuse. Without Go the check says so. <code>test/arch/operator-files.test.ts</code> needs no Go: every YAML file has keys that are words and one reading by YAML 1.1 and 1.2, every pod is selected by one network policy, and every image has a digest.</p><p>Images of the product have the digest in <code>ops/kubernetes/images</code>, which the migration and the processes share; the value in the repository is a placeholder. Images of others have a tag in <code>docker-compose.yml</code>, since their digests differ by platform and are not known to this repository; a variable of the environment file pins each.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A machine with Go and no module proxy fails the check once, until the modules are there. Docker is not needed.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/tests/0205-compose-and-manifests-are-checked-by-go.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0205ComposeAndManifestsAreCheckedByGo = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0205ComposeAndManifestsAreCheckedByGo as default
};
