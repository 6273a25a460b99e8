import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0157: A dispute returns what slashes have not refunded","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0157-a-dispute-returns-what-slashes-have-not-refunded.md","filePath":"adr/money/0157-a-dispute-returns-what-slashes-have-not-refunded.md"}');
const _sfc_main = { name: "adr/money/0157-a-dispute-returns-what-slashes-have-not-refunded.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0157-a-dispute-returns-what-slashes-have-not-refunded" tabindex="-1">0157: A dispute returns what slashes have not refunded <a class="header-anchor" href="#_0157-a-dispute-returns-what-slashes-have-not-refunded" aria-label="Permalink to &quot;0157: A dispute returns what slashes have not refunded&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Supersedes in part <a href="./0021-a-dispute-decides-a-running-call-at-once">ADR 0021</a>: a won dispute returns what slashes have not refunded.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A slash refunds at most what is left of a charge (<a href="./0058-a-slash-refunds-at-most-the-charges-of-its-calls">ADR 0058</a>), but a dispute returned the whole charge. When a slash ended first, or while the dispute was undecided, the buyer got the charge twice, and the developer paid it twice: 10 credits came back for a call at 5. A buyer who knew of a slash gained by opening a dispute within the 72 hours.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A clawback still takes the whole gross back: the fee from the platform, the net from the developer. The buyer gets the gross less what slashes have refunded of the call. That part goes to the bond, which had paid it, in the same transaction and before the bond pays a part of the net. <code>refunded_credits</code> of the dispute is what the dispute returned; <code>refunded_credits</code> of the call is the sum, and never above the charge. The contract&#39;s &quot;refunds in full&quot; is read so.</p><p>Refusing the dispute of a slashed call was the alternative. It would keep the charge in the developer&#39;s earnings, and give a buyer whose share was small no way to the rest.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p><code>ledger:check</code> proves, for each clawback, the buyer&#39;s part and the bond&#39;s part. A dispute of a call that was refunded in full by a slash can be won, and returns 0.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0157-a-dispute-returns-what-slashes-have-not-refunded.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0157ADisputeReturnsWhatSlashesHaveNotRefunded = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0157ADisputeReturnsWhatSlashesHaveNotRefunded as default
};
