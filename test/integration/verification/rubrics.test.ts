import { eventDataProblems } from '../../support/webhooks/webhooks';
import { operatorCommand } from '../../support/cli/operator-command';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Rubric } from '../../../src/domain/verification/rubric';
import { replayRun } from '../../../src/services/verification/rescoring';
import { FIRST_RUBRIC } from '../../../src/verification/scoring/first-rubric';
import { putLive, register, type TestUser } from '../../support/market';
import { registerDeveloper, request } from '../../support/catalogue/publishing';
import { cleanEvidence, leakedKey } from '../../support/verification/run-evidence';
import { runWith } from '../../support/verification/trust';
import { useMarket } from '../../support/use-market';

const market = useMarket({ operations: false });
let operator: TestUser;
let agent: { agentId: string; versionId: string };

beforeAll(async () => {
  operator = await register(market, 'buyer');
  await market.container.accounts.grantOperator(operator.email);
  const developer = await registerDeveloper(market);
  agent = await putLive(market, developer.userId, 'https://127.77.0.1:9443');
});

interface RubricView {
  version: string;
  status: string;
  weights_changed: boolean;
  published_at: string;
  comment_ends_at: string;
}

function changed(version: string, change: (rubric: Rubric) => void = () => undefined): Rubric {
  const rubric = structuredClone(FIRST_RUBRIC);
  rubric.version = version;
  change(rubric);
  return rubric;
}

const announce = (document: unknown, days?: number) =>
  request<RubricView>(market, operator, 'POST', '/v1/operator/rubrics', {
    document,
    changelog: 'What changes, and why.',
    rfc_url: 'https://market.example/rfc',
    ...(days !== undefined && { comment_days: days }),
  });
const withdraw = (version: string) =>
  request(market, operator, 'POST', `/v1/operator/rubrics/${version}/withdraw`);
const days = ({ published_at, comment_ends_at }: RubricView) =>
  Math.round((Date.parse(comment_ends_at) - Date.parse(published_at)) / 86_400_000);
const inDays = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString();
const adopt = (version: string, asOf: string) => market.container.rubricRollout.adopt(version, asOf);

const grave = (rubric: Rubric) => {
  rubric.deductions.low = 10;
};

describe('rubrics', () => {
  it('begin with 2026.1, which every caller can read', async () => {
    const list = await request<{ items: RubricView[] }>(market, operator, 'GET', '/v1/rubrics');
    expect(list.body.items).toMatchObject([{ version: '2026.2', status: 'in_effect' }]);
    const one = await request<{ document: Rubric }>(market, operator, 'GET', '/v1/rubrics/2026.2');
    expect(one.body.document).toEqual(FIRST_RUBRIC);
    expect((await request(market, operator, 'GET', '/v1/rubrics/2031.1')).status).toBe(404);
  });

  it('with other weights wait 30 days for comments, without exception', async () => {
    const { status, body } = await announce(changed('2026.3', grave), 0);
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: 'announced', weights_changed: true });
    expect(days(body)).toBe(30);
    expect(await adopt('2026.3', inDays(29))).toBe(false);
    expect((await runWith(market, agent, cleanEvidence())).report.rubricVersion).toBe('2026.2');
    const rush = market.owner.query(`UPDATE rubrics SET effective_at = now() WHERE version = '2026.3'`);
    await expect(rush).rejects.toThrow('rubric_effective_after_comments');
    const shorten = market.owner.query(
      `UPDATE rubrics SET comment_ends_at = now(), effective_at = now() WHERE version = '2026.3'`,
    );
    await expect(shorten).rejects.toThrow('rubric_comment_period');
    const { pool } = market.container;
    await expect(pool.query('UPDATE rubrics SET effective_at = now()')).rejects.toThrow('permission denied');

    expect(await adopt('2026.3', inDays(31))).toBe(true);
    expect(await adopt('2026.3', inDays(32))).toBe(true);
    expect((await runWith(market, agent, cleanEvidence())).report.rubricVersion).toBe('2026.3');
  });

  it('with other texts alone need no comments', async () => {
    const document = changed('2026.4', (rubric) => {
      grave(rubric);
      rubric.texts.no_tests.description = 'There are no tests.';
    });
    const { body } = await announce(document, 0);
    expect(body).toMatchObject({ weights_changed: false });
    expect(days(body)).toBe(0);
    expect(await withdraw('2026.4')).toMatchObject({ status: 200, body: { status: 'withdrawn' } });
    expect(await adopt('2026.4', inDays(40))).toBe(false);
  });

  it('are announced one after another, by operators only, and without mistakes', async () => {
    const severe = (rubric: Rubric) => {
      rubric.severities.no_tests = 'high';
    };
    expect((await announce(changed('2026.3'))).status).toBe(409);
    expect((await announce(changed('2026.10', severe))).body).toMatchObject({ weights_changed: true });
    expect((await announce(changed('2026.11'))).status).toBe(409);
    expect((await withdraw('2026.10')).status).toBe(200);
    expect((await withdraw('2026.3')).status).toBe(409);
    const wrong = changed('2026.12', (rubric) => {
      rubric.checks.red_team.jailbreak = 9;
      rubric.texts.slow.description = 'NUL \0';
    });
    expect(await announce(wrong)).toMatchObject({
      status: 422,
      body: {
        detail: [
          { loc: ['body', 'document', 'checks', 'red_team'] },
          { loc: ['body', 'document', 'texts', 'slow', 'description'] },
        ],
      },
    });
    const buyer = await register(market, 'buyer');
    const path = '/v1/operator/rubrics';
    const refused = await request(market, buyer, 'POST', path, { document: {}, changelog: 'x' });
    expect(refused.status).toBe(403);
  });
});

describe('the announcement of a rubric', () => {
  it('reaches every developer by a notice and an event, with its request for comments', async () => {
    const developer = await registerDeveloper(market);
    const rfcUrl = 'https://market.example/rfc/2026.20';
    const severe = changed('2026.20', (rubric) => {
      rubric.severities.no_tests = 'high';
    });
    const hook = await request(market, developer, 'POST', '/v1/webhooks', { url: 'https://127.77.0.1:9443/hook', types: ['rubric.announced'] });
    expect(hook.status).toBe(201);
    const body = { document: severe, changelog: 'Missing tests cost more.' };
    const hostless = ['https://', 'https:///', 'https://?rfc', 'https://.', 'https://market.example@other.example/'];
    for (const wrong of ['http://market.example/rfc', 'javascript:alert(1)', '', ...hostless, 'https://a\u0085b', 5])
      expect((await request(market, operator, 'POST', '/v1/operator/rubrics', { ...body, rfc_url: wrong })).status).toBe(422);
    expect(await request(market, operator, 'POST', '/v1/operator/rubrics', body)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'rfc_url'], type: 'missing' }] },
    });
    const made = await request<RubricView>(market, operator, 'POST', '/v1/operator/rubrics', { ...body, rfc_url: rfcUrl });
    expect(made).toMatchObject({ status: 201, body: { rfc_url: rfcUrl, weights_changed: true } });
    const said = { rubric_version: '2026.20', weights_changed: true, rfc_url: rfcUrl, comment_ends_at: made.body.comment_ends_at };
    const notices = await request(market, developer, 'GET', '/v1/billing/developer/notices');
    expect(notices.body).toMatchObject({ items: [{ code: 'rubric_announced', slash_id: null, agent_id: null, data: said }] });
    const { rows } = await market.owner.query<{ data: object }>(
      `SELECT e.data FROM events e JOIN webhook_deliveries d USING (event_id) JOIN webhooks w ON w.webhook_id = d.endpoint_id
        WHERE w.user_id = $1 AND e.type = 'rubric.announced'`,
      [developer.userId],
    );
    expect(rows).toEqual([{ data: { ...said, changelog: 'Missing tests cost more.', announced_at: made.body.published_at } }]);
    expect(rows.flatMap(({ data }) => eventDataProblems('rubric.announced', data))).toEqual([]);
    const { rows: others } = await market.owner.query(
      `SELECT count(*)::int AS others FROM developer_notices n JOIN users u ON u.user_id = n.developer_user_id
        WHERE n.kind = 'rubric_announced' AND u.role <> 'developer'`,
    );
    expect(others).toEqual([{ others: 0 }]);
    const list = await request<{ items: object[] }>(market, developer, 'GET', '/v1/rubrics');
    expect(list.body.items[0]).toMatchObject({ version: '2026.20', rfc_url: rfcUrl });
    expect((await withdraw('2026.20')).status).toBe(200);
  }); // prettier-ignore
});

describe('scoring again', () => {
  const cli = (...args: string[]) =>
    operatorCommand(args, { ...process.env, DATABASE_URL: market.database.appUrl });

  it('gives the same bytes, and detects changed evidence and reports', async () => {
    const { runId } = await runWith(market, agent, leakedKey());
    const { pool } = market.container;
    expect(await replayRun(pool, runId)).toMatchObject({ same_evidence: true, same_report: true });
    const { stdout } = await cli('verify', 'replay', runId);
    expect(stdout).toContain(': the report is identical.');

    await market.owner.query(
      `UPDATE trust_reports SET judgement = replace(judgement, '"score":25', '"score":24') WHERE run_id = $1`,
      [runId],
    );
    expect(await replayRun(pool, runId)).toMatchObject({ same_evidence: true, same_report: false });
    await market.owner.query(
      `UPDATE verification_evidence SET evidence = replace(evidence, 'src/config.js', 'test/config.js')
        WHERE run_id = $1`,
      [runId],
    );
    expect(await replayRun(pool, runId)).toMatchObject({ same_evidence: false, same_report: false });
  });

  it('shows the effect of another rubric on agents before it is announced', async () => {
    const evidence = cleanEvidence();
    evidence.static.quality.testFiles = 0;
    await runWith(market, agent, evidence);
    const file = join(mkdtempSync(join(tmpdir(), 'rubric-')), 'proposal.json');
    const proposal = changed('2027.1', (rubric) => {
      rubric.severities.no_tests = 'high';
    });
    writeFileSync(file, JSON.stringify(proposal));
    const { stdout } = await cli('rubric', 'diff', '2026.2', file);
    expect(stdout).toBe(
      [
        '1 changes:',
        '  severities.no_tests: low → high',
        '1 of 1 agents would change:',
        `  ${agent.agentId}: 98 premium → 85 basic`,
        '',
      ].join('\n'),
    );
  });
});
