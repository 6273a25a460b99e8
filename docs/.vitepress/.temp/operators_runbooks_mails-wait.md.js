import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Mails are late","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/mails-wait.md","filePath":"operators/runbooks/mails-wait.md"}');
const _sfc_main = { name: "operators/runbooks/mails-wait.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="mails-are-late" tabindex="-1">Mails are late <a class="header-anchor" href="#mails-are-late" aria-label="Permalink to &quot;Mails are late&quot;">​</a></h1><p>Alerts: <code>MailsWait</code>.</p><p>A mail (a confirmation, a password reset, a security notice) is due for 15 minutes and was not sent.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">psql</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">$DATABASE_URL</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;">&quot;</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> -c</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;SELECT kind, attempts, due_at FROM mails WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 5&quot;</span></span></code></pre></div><p>The log of the worker has the answer of the mail server. <code>attempts</code> is 0 when the loop <code>mails</code> itself fails (<a href="./loop-fails">a loop fails</a>).</p><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><p>Check <code>MAIL_URL</code> and the mail server. The outbox keeps the mails and repeats them.</p><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p><code>market_mails_oldest_seconds</code> is 0.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/mails-wait.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const mailsWait = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  mailsWait as default
};
