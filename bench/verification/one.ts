/**
 * `npm run bench:verification -- one [count]`: verifies agents that answer in 50 ms, one after the other, and prints
 * the time from the answer to the publication to the report, with the time of each stage. Limit: 3 s for each but the
 * first.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startCorpusAgent, TEXT, text } from '../../test/corpora/agents/corpus-agent';
import { testManifest } from '../../test/support/agents/manifest';
import { bundleOf } from '../../test/support/verification/bundles';
import { eventually } from '../../test/support/market';
import { startProcessStack } from '../../test/support/stack/process-stack';
import { publish, registerDeveloper, request } from '../../test/support/catalogue/publishing';

const LIMIT_MS = 3_000;
const ANSWER_MS = 50;
const LOOK_MS = 20;

interface Run {
  latest_run: { finished_at: string | null; stages: { stage: string; started_at: string | null; finished_at: string | null }[] } | null;
} // prettier-ignore

/** Verifies `count` agents one after the other. */
export async function benchOne(count: number): Promise<void> {
  const stack = await startProcessStack({ warm: true });
  try {
    const api = await stack.addProcess('api');
    await stack.addProcess('worker');
    await eventually(async () => (await fetch(`${api.url}/readiness`)).status === 200, 60_000);
    const market = { url: api.url, owner: stack.owner };
    const developer = await registerDeveloper(market);
    const agent = await startCorpusAgent({
      name: 'measured',
      kind: 'shortens a text',
      manifest: {},
      answer: (input) => ({ output: { text: `Short: ${text(input).slice(0, 60)}` }, delayMs: ANSWER_MS }),
    });
    const bundle = bundleOf({ 'index.mjs': 'export const shorten = (text) => text.slice(0, 60);\n' });
    for (let at = 0; at < count; at += 1) {
      const given = { inputSchema: TEXT, outputSchema: TEXT, agentId: `measured-${at}` };
      const extra = { bundle_base64: bundle.toString('base64') };
      const { body, status } = await publish(market, developer, testManifest(agent.url, given), extra);
      if (status !== 201) throw new Error(JSON.stringify(body));
      const beganAt = performance.now();
      const path = `/v1/developer/agents/${body.agent_id}`;
      let run: Run['latest_run'] = null;
      while (run === null || run.finished_at === null) {
        await sleep(LOOK_MS);
        run = (await request<Run>(market, developer, 'GET', path)).body.latest_run;
      }
      const ms = performance.now() - beganAt;
      const stages = run.stages.map((stage) => `${stage.stage} ${Date.parse(stage.finished_at ?? '') - Date.parse(stage.started_at ?? '')}`); // prettier-ignore
      console.log(`${at + 1}: ${ms.toFixed(0)} ms (${stages.join(', ')})${at > 0 && ms > LIMIT_MS ? ', too long' : ''}`); // prettier-ignore
    }
    await agent.stop();
  } finally {
    await stack.stop();
  }
}
