import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0017: A session is read once for each request and rarely extended","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/accounts/0017-sessions-are-read-once-for-each-request.md","filePath":"adr/accounts/0017-sessions-are-read-once-for-each-request.md"}');
const _sfc_main = { name: "adr/accounts/0017-sessions-are-read-once-for-each-request.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0017-a-session-is-read-once-for-each-request-and-rarely-extended" tabindex="-1">0017: A session is read once for each request and rarely extended <a class="header-anchor" href="#_0017-a-session-is-read-once-for-each-request-and-rarely-extended" aria-label="Permalink to &quot;0017: A session is read once for each request and rarely extended&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>express-session with connect-pg-simple reads the session, then the user, and writes at every request to keep a rolling session alive. A slow request that saves its session can restore one that was ended meanwhile.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The store is a subclass with three differences: session and user come from one indexed query; an existing session is only updated, never inserted again; <code>touch</code> does nothing, and a session of 14 days is extended after ten minutes. Operations that need no session do not read one.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A request costs one read. A change of role or password applies from the next request. A session can end up to ten minutes early.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/accounts/0017-sessions-are-read-once-for-each-request.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0017SessionsAreReadOnceForEachRequest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0017SessionsAreReadOnceForEachRequest as default
};
