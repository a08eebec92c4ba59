import { NEMESES } from './nemesis';
import { type PlannedFault, triggersAmong } from './nemesis/nemesis';
import { Random } from './random';
import { type Asked, type ChaosSchedule, schedulesOf } from './workload/definitions';

/** A request about one schedule, and its time. */
export interface PlannedAsk {
  /** Milliseconds after the faults begin. */
  at: number;
  scheduleId: string;
  ask: Asked | 'unpause';
  /** Milliseconds between two occurrences, for an update. */
  every?: number;
}

/** Everything about a run that is decided before it begins. */
export interface Plan {
  seed: number;
  milliseconds: number;
  schedules: ChaosSchedule[];
  asks: PlannedAsk[];
  faults: PlannedFault[];
}

export interface PlanOptions {
  seed: number;
  milliseconds: number;
  /** The share of the workload's schedules that the run has, of each kind. */
  share: number;
  members: readonly string[];
  /** Names of the kinds of faults to choose from. */
  faults: readonly string[];
  /** The duration of an additional fault during which no start of any trigger reaches the server. @default 0 */
  startsRefusedMilliseconds?: number;
}

const PAUSE_BETWEEN_FAULTS = [500, 4_500] as const;
/** The pause after an outage of a server, in which waiting work can be finished before its next outage. */
const REST_OF_A_SERVER_MILLISECONDS = 12_000;
/**
 * How long before the end of a run the last new definition may be requested. One that would never fire again is
 * refused.
 */
const DEFINED_BEFORE_THE_END_MILLISECONDS = 20_000;
const ASK_EVERY = [400, 1_200] as const;
const PAUSED_FOR = [1_000, 9_000] as const;

/** Computes the plan for some options; equal options give an equal plan. */
export function planOf(options: PlanOptions): Plan {
  const { seed, milliseconds, share } = options;
  const schedules = schedulesOf(new Random(seed), share);
  return {
    ...{ seed, milliseconds, schedules },
    asks: asksOf(new Random(seed + 1), schedules, milliseconds),
    faults: [...startsRefused(options), ...faultsOf(new Random(seed + 2), options)],
  };
}

function asksOf(random: Random, schedules: ChaosSchedule[], milliseconds: number): PlannedAsk[] {
  const changed = schedules.filter(({ asked }) => asked !== undefined);
  const asks: PlannedAsk[] = [];
  for (let at = random.between(...ASK_EVERY); at < milliseconds; at += random.between(...ASK_EVERY)) {
    const { scheduleId, asked } = random.pick(changed);
    const isDefinition = asked === 'update' || asked === 'delete';
    if (isDefinition && at > milliseconds - DEFINED_BEFORE_THE_END_MILLISECONDS) continue;
    if (asked === 'update') asks.push({ at, scheduleId, ask: 'update', every: random.between(2, 5) * 1_000 });
    else asks.push({ at, scheduleId, ask: asked! });
    if (asked === 'pause') {
      asks.push({ at: Math.min(milliseconds, at + random.between(...PAUSED_FOR)), scheduleId, ask: 'unpause' });
    }
  }
  return asks.sort((one, other) => one.at - other.at);
}

/** An additional fault: for some time, no start of any trigger reaches the server. */
function startsRefused({ startsRefusedMilliseconds = 0, members }: PlanOptions): PlannedFault[] {
  if (startsRefusedMilliseconds === 0) return [];
  const targets = triggersAmong(members);
  return [
    { name: 'starts', at: 5_000, milliseconds: startsRefusedMilliseconds, targets, detail: { starts: 'refused' } },
  ];
}

function faultsOf(random: Random, options: PlanOptions): PlannedFault[] {
  const { milliseconds, members, faults: names } = options;
  const kinds = NEMESES.filter(({ name }) => names.includes(name));
  const busyUntil = new Map<string, number>();
  for (const { at, milliseconds, targets } of startsRefused(options)) {
    for (const target of targets) busyUntil.set(target, at + milliseconds);
  }
  const faults: PlannedFault[] = [];
  if (kinds.length === 0) return faults;
  for (let at = random.between(0, 3_000); at < milliseconds; at += random.between(...PAUSE_BETWEEN_FAULTS)) {
    const kind = random.weighted(kinds);
    const drawn = kind.draw(random, members);
    const end = at + drawn.milliseconds;
    if (end > milliseconds || drawn.targets.some((target) => (busyUntil.get(target) ?? 0) > at)) continue;
    for (const target of drawn.targets)
      busyUntil.set(target, end + (members.includes(target) ? 0 : REST_OF_A_SERVER_MILLISECONDS));
    faults.push({ name: kind.name, at, ...drawn });
  }
  return faults;
}
