import type { ClientContext } from '../../client/context';
import { readLive } from '../../client/update/change';
import { InvalidOptionError } from '../../core/errors';
import { readShadows } from '../../store/reads/read-shadows';
import { type MoveRow, readImportedAt } from '../../store/schedules/moves';
import { NativeSchedules } from '../native/native';
import { selectMoves } from '../select-moves';
import type { ComparedOccurrence, CompareOptions } from './compare-options';
import { match, NativeRuns, type Shadow } from './match';

/** The longest delay of Temporal's visibility that is assumed. */
const FRESH_MILLISECONDS = 30_000;

export async function* compare(context: ClientContext, options: CompareOptions): AsyncGenerator<ComparedOccurrence> {
  const { moves, unknown } = await selectMoves(context, options);
  if (unknown.length > 0) throw new InvalidOptionError('scheduleIds', `'${unknown[0]}' was not imported`);
  for (const move of moves) yield* compareOne(context, move, options);
}

async function* compareOne(context: ClientContext, move: MoveRow, options: CompareOptions) {
  const { scheduleId, namespace } = move;
  const from = (options.start ?? (await readImportedAt(context.store, scheduleId))).getTime();
  const to = (options.end ?? new Date(Date.now() - FRESH_MILLISECONDS)).getTime();
  const { policies } = await readLive(context, scheduleId);
  const runs = new NativeRuns();
  const native = new NativeSchedules(options.from, namespace);
  for await (const run of native.runs(scheduleId, from)) runs.add(run);
  const rememberedFrom = Date.now() - (await native.retention());
  const shadows = shadowsOf(context, scheduleId, { from, to });
  const mayOverlap = policies.overlap === 'ALLOW_ALL';
  yield* match(scheduleId, { shadows, runs, from, to, mayOverlap, rememberedFrom });
}

const PAGE_SIZE = 1_000;

async function* shadowsOf(
  { store }: ClientContext,
  scheduleId: string,
  { from, to }: { from: number; to: number },
): AsyncGenerator<Shadow> {
  let after = new Date(from - 1);
  for (;;) {
    const page = await readShadows(store, scheduleId, { after, to: new Date(to) }, PAGE_SIZE);
    for (const { scheduledTime, claimedAt } of page) {
      yield { nominal: scheduledTime.getTime(), decidedAt: claimedAt.getTime() };
    }
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1)!.scheduledTime;
  }
}
