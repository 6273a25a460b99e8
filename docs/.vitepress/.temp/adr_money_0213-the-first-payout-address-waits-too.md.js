import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0213: The first payout address of an agent waits for a week, too","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0213-the-first-payout-address-waits-too.md","filePath":"adr/money/0213-the-first-payout-address-waits-too.md"}');
const _sfc_main = { name: "adr/money/0213-the-first-payout-address-waits-too.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0213-the-first-payout-address-of-an-agent-waits-for-a-week-too" tabindex="-1">0213: The first payout address of an agent waits for a week, too <a class="header-anchor" href="#_0213-the-first-payout-address-of-an-agent-waits-for-a-week-too" aria-label="Permalink to &quot;0213: The first payout address of an agent waits for a week, too&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Supersedes in part <a href="./0191-changed-payout-addresses-wait">ADR 0191</a>: the address that a new agent is registered with.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A change of <code>x402.pay_to</code> needs a session and a code, is reported by mail, and has a delay of 7 to 14 days. The first address of an agent had none of this: an API key with <code>agents:publish</code> registered an agent whose earnings went to any address on the next Monday, without a mail. The specification lets a key register agents.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><strong>A key may still register an agent with an address.</strong> A registration, a draft too, sends the mail <code>payout_address_changed</code>.</li><li><strong>The first address waits.</strong> A run pays to addresses that agents had when the week of the Monday began, without the exception for agents that went live later. Earnings of such an agent belong to no destination of that Monday: the default method does not get them either.</li><li>An agent whose address another serving agent of the developer had by then does not wait.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The first payout to a new address is 7 to 14 days after the agent went live. Requiring a session and a code for the registration was the alternative; it would break the registration by key.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0213-the-first-payout-address-waits-too.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0213TheFirstPayoutAddressWaitsToo = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0213TheFirstPayoutAddressWaitsToo as default
};
