import type { ClientContext } from '../client/context';
import { InvalidOptionError } from '../core/errors';
import { type MoveRow, readMoves } from '../store/schedules/moves';
import type { MoveOptions } from './move-options';
import { NativeSchedules } from './native/native';

/** The selected schedules, and the given IDs for which there is no imported schedule, or only a deleted one. */
export interface SelectedMoves {
  moves: MoveRow[];
  unknown: string[];
}

/**
 * @throws {InvalidOptionError} unless exactly one of `scheduleIds`, `query` and `all` is given; also for an empty
 *   query, if anything was imported
 */
export async function selectMoves(
  context: ClientContext,
  { from, scheduleIds, query, all = false }: MoveOptions,
): Promise<SelectedMoves> {
  const given = [scheduleIds, query, all || undefined].filter((one) => one !== undefined);
  if (given.length !== 1) throw new InvalidOptionError('scheduleIds', 'or query, or all: give one of them');
  await context.ready();
  const { tenant } = context;
  if (all) return { moves: live(await readMoves(context.store, { tenant })), unknown: [] };
  if (scheduleIds) {
    const moves = live(await readMoves(context.store, { scheduleIds, tenant }));
    const known = new Set(moves.map((move) => move.scheduleId));
    return { moves, unknown: scheduleIds.filter((scheduleId) => !known.has(scheduleId)) };
  }
  const imported = live(await readMoves(context.store, { tenant }));
  const matching = new Set<string>();
  for (const namespace of new Set(imported.map((move) => move.namespace))) {
    const native = new NativeSchedules(from, namespace);
    for await (const scheduleId of native.ids(query)) matching.add(`${namespace} ${scheduleId}`);
  }
  return { moves: imported.filter((move) => matching.has(`${move.namespace} ${move.scheduleId}`)), unknown: [] };
}

function live(moves: MoveRow[]): MoveRow[] {
  return moves.filter((move) => !move.deleted);
}
