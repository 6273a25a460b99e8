import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0110: npm start prints login links that work once","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0110-login-links-of-the-local-stack.md","filePath":"adr/operations/0110-login-links-of-the-local-stack.md"}');
const _sfc_main = { name: "adr/operations/0110-login-links-of-the-local-stack.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0110-npm-start-prints-login-links-that-work-once" tabindex="-1">0110: npm start prints login links that work once <a class="header-anchor" href="#_0110-npm-start-prints-login-links-that-work-once" aria-label="Permalink to &quot;0110: npm start prints login links that work once&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p><code>npm start</code> makes a buyer, a developer and an operator with random passwords. A person who wants to look at the console would have to find three passwords in <code>.market/runtime.json</code> and type them.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><code>npm start</code> prints a link for each of them: <code>/console/enter#&lt;token&gt;</code>, for the buyer with <code>?next=/calls</code> before <code>#</code>. The token stands behind <code>#</code>, so that it is in no request for the page, in no log and in no <code>Referer</code>. The page removes it from the address, and sends it once to <code>POST /v1/auth/login-link</code>.</li><li>A token has 256 random bits. Only its SHA-256 is stored, in <code>mail_tokens</code> with the purpose <code>log_in</code>. It works once, for 15 minutes, and taking it deletes the other tokens of its account and purpose.</li><li>Only a process with the connection to the database can issue one: the start of the stack. No operation and no command does.</li><li>In production the service is not created, so the operation answers 404 whatever the table contains.</li><li>The session has no second factor. An operator with an authenticator app cannot act in it.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A link that was printed is as good as a password for 15 minutes. The terminal of <code>npm start</code> shows the mails of the stack, with their tokens, anyway.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0110-login-links-of-the-local-stack.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0110LoginLinksOfTheLocalStack = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0110LoginLinksOfTheLocalStack as default
};
