import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0068: The command line is one tarball without dependencies, served by the API","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0068-the-command-line-is-one-tarball.md","filePath":"adr/operations/0068-the-command-line-is-one-tarball.md"}');
const _sfc_main = { name: "adr/operations/0068-the-command-line-is-one-tarball.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0068-the-command-line-is-one-tarball-without-dependencies-served-by-the-api" tabindex="-1">0068: The command line is one tarball without dependencies, served by the API <a class="header-anchor" href="#_0068-the-command-line-is-one-tarball-without-dependencies-served-by-the-api" aria-label="Permalink to &quot;0068: The command line is one tarball without dependencies, served by the API&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The command was part of the clone. A developer or a buyer has no clone, and <code>npx market</code> elsewhere fetches an unrelated package.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><code>packages/cli</code> is the workspace <code>@agent-marketplace/cli</code>. esbuild bundles <code>src/cli/package.ts</code>, which knows the verbs of the API (<code>src/cli/verb-groups.ts</code>). The verbs of the database and of Temporal (<code>src/cli/database-groups.ts</code>) stay in the clone and in the image. The build fails if a package of the service, or one with native code, gets into the bundle.</li><li>The tarball depends on no other package. <code>npm install</code> of it asks no registry, so it also installs where there is none.</li><li><code>npm run build</code> makes the tarball, and the API serves it at <code>/downloads/agent-marketplace-cli.tgz</code>, so the command always fits the service that it comes from. Nothing is published to a registry, where the scope would have to be owned.</li><li>In a clone, npm links the command of the workspace. It then starts the whole command of the clone.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A fix of a bundled package reaches users with the next download. <code>market verify</code> scans with the code of the service that offered the package.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0068-the-command-line-is-one-tarball.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0068TheCommandLineIsOneTarball = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0068TheCommandLineIsOneTarball as default
};
