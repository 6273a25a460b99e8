import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Partitions are missing","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/partitions.md","filePath":"operators/runbooks/partitions.md"}');
const _sfc_main = { name: "operators/runbooks/partitions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="partitions-are-missing" tabindex="-1">Partitions are missing <a class="header-anchor" href="#partitions-are-missing" aria-label="Permalink to &quot;Partitions are missing&quot;">​</a></h1><p>Alerts: <code>PartitionsMissing</code>.</p><p>The large tables have a partition for each month, made two months ahead. Rows that no month covers are in a default partition: nothing is refused.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">psql</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">$DATABASE_URL</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;">&quot;</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> -c</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &#39;SELECT ahead, strays FROM partition_status()&#39;</span></span></code></pre></div><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><ol><li><code>ahead</code> below 1: the loop <code>partitions</code> fails (<a href="./loop-fails">a loop fails</a>).</li><li><code>strays</code> above 0: the loop moves rows when it makes the partition. If they stay, the clock of the database or of an API process was wrong: ids contain their time (<a href="./../../operations#months">months</a>).</li></ol><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p><code>ahead</code> is at least 1, and <code>strays</code> is 0.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/partitions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const partitions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  partitions as default
};
