import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0232: Passport authenticates every caller, in the order that the operation gives","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/accounts/0232-passport-authenticates-every-caller.md","filePath":"adr/accounts/0232-passport-authenticates-every-caller.md"}');
const _sfc_main = { name: "adr/accounts/0232-passport-authenticates-every-caller.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0232-passport-authenticates-every-caller-in-the-order-that-the-operation-gives" tabindex="-1">0232: Passport authenticates every caller, in the order that the operation gives <a class="header-anchor" href="#_0232-passport-authenticates-every-caller-in-the-order-that-the-operation-gives" aria-label="Permalink to &quot;0232: Passport authenticates every caller, in the order that the operation gives&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Passport served the login only. Keys, access tokens and sessions were read by functions beside it, so a further way to authenticate had no place that the field knows. Passport is usually a middleware on all paths, which reads the session of every request, public ones too.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>src/api/identity/passport.ts</code> configures one passport for a process: the strategies <code>api-key</code>, <code>access-token</code> and <code>local</code>, and passport&#39;s own <code>session</code>. The binder authenticates once it knows the operation, and names the strategies that the operation accepts. A credential in a header that is not valid ends the chain with 401, even with a valid session. The session is opened, and restored by passport, only if no header authenticated the caller. <code>deserializeUser</code> takes the user from the query that read the session (<a href="./0017-sessions-are-read-once-for-each-request">ADR 0017</a>). Passport decides who the caller is. Scopes, roles and the second factor, and every answer with 401 or 403, stay with <code>authentication.ts</code> and the error writer; passport writes no answer.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A further way to authenticate is a strategy and a line in <code>credentialStrategies</code>. A request costs about one microsecond more, and no further query.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/accounts/0232-passport-authenticates-every-caller.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0232PassportAuthenticatesEveryCaller = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0232PassportAuthenticatesEveryCaller as default
};
