import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0277: Owners of webhooks see the beginning of answers","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/protocols/0277-owners-of-webhooks-see-the-beginning-of-answers.md","filePath":"adr/protocols/0277-owners-of-webhooks-see-the-beginning-of-answers.md"}');
const _sfc_main = { name: "adr/protocols/0277-owners-of-webhooks-see-the-beginning-of-answers.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0277-owners-of-webhooks-see-the-beginning-of-answers" tabindex="-1">0277: Owners of webhooks see the beginning of answers <a class="header-anchor" href="#_0277-owners-of-webhooks-see-the-beginning-of-answers" aria-label="Permalink to &quot;0277: Owners of webhooks see the beginning of answers&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A delivery showed only a status and a duration. The owner of a webhook could not see why the receiver answered 404 or 500, or when the next attempt was due. ADR 0195 keeps answers of foreign networks from owners: an address that is not public is <code>unreachable</code> like one that does not answer.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>An attempt reads up to 1 KiB of an answer, for at most a second behind the status. A body that is text is stored as one line of at most 500 characters with the attempt (<code>webhook_attempts.answer</code>), for 30 days as the delivery; values of the headers that were sent and anything in the form of a secret are masked. It is the owner&#39;s own public server, so nothing is learned that a request from anywhere else would not show. Push notifications of tasks read nothing.</p><p>The workflow passes the pause behind the attempt to the activity, which stores <code>next_attempt_at</code>, lengthened by <code>Retry-After</code>. Deliveries that an earlier release began have none.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A receiver that is slow with its body holds a place of the worker for up to a second more.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/protocols/0277-owners-of-webhooks-see-the-beginning-of-answers.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0277OwnersOfWebhooksSeeTheBeginningOfAnswers = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0277OwnersOfWebhooksSeeTheBeginningOfAnswers as default
};
