import type { AskedFact } from '../journal';
import type { ChaosSchedule, Grid } from '../workload/definitions';
import type { Facts } from './facts';

/**
 * Whether an occurrence must have an answer, or only may have one. The latter holds if it is uncertain which definition
 * was in force at its time, or whether a backfill was carried out.
 */
export type Duty = 'must' | 'may';

/** Computes each occurrence of a schedule by plain arithmetic, from its definition and the log of requests. */
export function occurrencesOf(
  schedule: ChaosSchedule,
  { due, asked }: Pick<Facts, 'due' | 'asked'>,
): Map<number, Duty> {
  const duties = new Map<number, Duty>();
  const ofIt = asked.filter(({ scheduleId }) => scheduleId === schedule.scheduleId);
  if (schedule.asked !== 'backfill') {
    for (const { grid, surelyFrom, maybeFrom, surelyTo, maybeTo } of definitionsOf(schedule, ofIt)) {
      for (const time of timesOf(grid, Math.max(due.from, maybeFrom), Math.min(due.to, maybeTo))) {
        const isSure = time > surelyFrom && time <= surelyTo;
        if (isSure || !duties.has(time)) duties.set(time, isSure ? 'must' : 'may');
      }
    }
  }
  for (const { ask, from, to, answered } of ofIt) {
    if (ask !== 'backfill') continue;
    for (const time of timesOf(schedule.grid!, from!, to!)) duties.set(time, answered === undefined ? 'may' : 'must');
  }
  return duties;
}

/** A definition, and when it was in force: certainly between two instants, and possibly shortly before and after. */
interface InForce {
  grid: Grid;
  maybeFrom: number;
  surelyFrom: number;
  surelyTo: number;
  maybeTo: number;
}

function definitionsOf(schedule: ChaosSchedule, asked: AskedFact[]): InForce[] {
  if (!schedule.grid) return [];
  const always = { surelyTo: Number.POSITIVE_INFINITY, maybeTo: Number.POSITIVE_INFINITY };
  const first = { maybeFrom: Number.NEGATIVE_INFINITY, surelyFrom: Number.NEGATIVE_INFINITY, ...always };
  const definitions: InForce[] = [{ grid: schedule.grid, ...first }];
  for (const update of asked.filter(({ ask }) => ask === 'update')) {
    const last = definitions.at(-1)!;
    // If the request was repeated, it took effect at some instant before its last answer.
    const answered = update.answered ?? Number.POSITIVE_INFINITY;
    last.surelyTo = Math.min(last.surelyTo, update.asked);
    last.maybeTo = answered;
    const grid = { every: update.every!, offset: schedule.grid.offset };
    definitions.push({ grid, maybeFrom: update.asked, surelyFrom: answered, ...always });
  }
  return definitions;
}

function* timesOf({ every, offset }: Grid, from: number, to: number): Generator<number> {
  for (let time = Math.ceil((from - offset) / every) * every + offset; time <= to; time += every) yield time;
}
