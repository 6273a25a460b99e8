import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"A decision waits for an operator","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/decisions-wait.md","filePath":"operators/runbooks/decisions-wait.md"}');
const _sfc_main = { name: "operators/runbooks/decisions-wait.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="a-decision-waits-for-an-operator" tabindex="-1">A decision waits for an operator <a class="header-anchor" href="#a-decision-waits-for-an-operator" aria-label="Permalink to &quot;A decision waits for an operator&quot;">​</a></h1><p>Alerts: <code>DecisionsWait</code>.</p><p>A contested dispute, a contested slash or a payment in quarantine has waited for a day. Buyers&#39; and developers&#39; credits are blocked until the decision.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">market</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> disputes</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> list</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --all</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">market</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> slashes</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> list</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">market</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> payments</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> list</span></span></code></pre></div><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><ul><li>A dispute: read both sides with <code>market disputes show &lt;dsp_…&gt; --all</code>, and decide with <code>market disputes resolve &lt;dsp_…&gt; buyer --reason &quot;…&quot;</code>, or <code>developer</code>.</li><li>A slash: <code>market slashes show &lt;slh_…&gt;</code>, and <code>market slashes resolve &lt;slh_…&gt; upheld --reason &quot;…&quot;</code>, or <code>overturned</code>.</li><li>A payment: <code>market payments show &lt;…&gt;</code>, and <code>market payments resolve &lt;payment&gt; credit --reason &quot;…&quot;</code>, or <code>return</code>.</li><li>An undecided slash becomes final at its deadline only if the developer has not contested it; a contested one waits for you.</li></ul><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p>The lists are empty, or younger than a day.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/decisions-wait.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const decisionsWait = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  decisionsWait as default
};
