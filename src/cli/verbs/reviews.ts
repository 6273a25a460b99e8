import { type Command, InvalidArgumentError } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connect, connectPerson, findAgent, type GlobalOptions } from '../connect';
import { addList } from '../row-verbs';
import { CASE_LISTS } from '../rows/case-lists';
import { recordResult } from '../terminal/pages';

type Review = Schema<'OwnReview'>;
type Summary = Schema<'ReviewSummary'>;
type Options = GlobalOptions & { text?: string; reason?: string; stars?: number; limit?: string };

const ofCall = (invocationId: string) => `/v1/invocations/${encodeURIComponent(invocationId)}/review`;

/** `market reviews …`: what buyers say about paid calls. */
export function reviewVerbs(program: Command): void {
  const reviews = program
    .command('reviews')
    .description('reviews of paid calls; answers of developers; removes reviews, for operators');
  addList(reviews, 'list', CASE_LISTS['reviews list']);
  addList(reviews, 'received', CASE_LISTS['reviews received']);
  addWrite(reviews);
  addShow(reviews);
  addSummary(reviews);
  addExport(reviews);
  addAnswer(reviews);
  addRemove(reviews);
}

function stars(given: string): number {
  if (!/^[1-5]$/.test(given)) throw new InvalidArgumentError('Use a whole number from 1 to 5.');
  return Number(given);
}

function addWrite(reviews: Command): void {
  reviews
    .command('write')
    .argument('<invocation>', 'invocation id, inv_…, of a call that you paid within 30 days')
    .requiredOption('--stars <stars>', '1 to 5', stars)
    .option('--text <text>', 'what others should know, up to 1,000 characters')
    .description('reviews one of your paid calls, once')
    .addHelpText('after', '\nExample:\n  market reviews write inv_… --stars 4 --text "Right columns."')
    .action(
      verb(async (invocationId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<Options>();
        const body = { rating: options.stars, ...(options.text !== undefined && { text: options.text }) };
        return recordResult(await connect(options).call<Review>('POST', ofCall(invocationId), body));
      }),
    );
}

function addShow(reviews: Command): void {
  reviews
    .command('show')
    .argument('<invocation>', 'invocation id, inv_…')
    .description('shows the review of a call, for its buyer and its developer')
    .addHelpText('after', '\nExample:\n  market reviews show inv_…')
    .action(
      verb(async (invocationId: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<Options>());
        return recordResult(await api.call<Review>('GET', ofCall(invocationId)));
      }),
    );
}

function addSummary(reviews: Command): void {
  reviews
    .command('summary')
    .argument('<agent>', 'agent id or slug')
    .description('shows the average and the distribution of the ratings of an agent')
    .addHelpText('after', '\nExample:\n  market reviews summary unit-converter')
    .action(
      verb(async (agent: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<Options>());
        const path = `/v1/listings/${encodeURIComponent(await findAgent(api, agent))}/review-summary`;
        return recordResult(await api.call<Summary>('GET', path));
      }),
    );
}

function addExport(reviews: Command): void {
  reviews
    .command('export')
    .argument('<agent>', 'agent id or slug')
    .description('prints signed records of the reviews of an agent as JSON, in the form of ERC-8004')
    .addHelpText('after', '\nExample:\n  market reviews export unit-converter')
    .action(
      verb(async (agent: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<Options>());
        const path = `/v1/listings/${encodeURIComponent(await findAgent(api, agent))}/review-feedback`;
        const items: unknown[] = [];
        for (let cursor: string | null = ''; cursor !== null;) {
          const query: string =
            cursor === '' ? '?limit=100' : `?limit=100&cursor=${encodeURIComponent(cursor)}`;
          const page: Schema<'ReviewFeedbackPage'> = await api.call('GET', `${path}${query}`);
          items.push(...page.items);
          cursor = page.next_cursor;
        }
        return { text: JSON.stringify(items, null, 2), json: items };
      }),
    );
}

function addAnswer(reviews: Command): void {
  reviews
    .command('answer')
    .argument('<review>', 'review id, rev_…')
    .requiredOption('--text <text>', 'your answer, up to 1,000 characters')
    .description('answers a review of one of your agents, once')
    .addHelpText('after', '\nExample:\n  market reviews answer rev_… --text "Fixed in 1.2.1."')
    .action(
      verb(async (reviewId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<Options>();
        const path = `/v1/developer/reviews/${encodeURIComponent(reviewId)}/answer`;
        return recordResult(await connect(options).call<Review>('POST', path, { text: options.text }));
      }),
    );
}

function addRemove(reviews: Command): void {
  reviews
    .command('remove')
    .argument('<review>', 'review id, rev_…')
    .requiredOption('--reason <text>', 'for the buyer and the audit log')
    .description('removes a review; for operators')
    .addHelpText('after', '\nExample:\n  market reviews remove rev_… --reason "It names a person."')
    .action(
      verb(async (reviewId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<Options>();
        const path = `/v1/operator/reviews/${encodeURIComponent(reviewId)}/remove`;
        return recordResult(
          await connectPerson(options).call<Review>('POST', path, { reason: options.reason }),
        );
      }),
    );
}
