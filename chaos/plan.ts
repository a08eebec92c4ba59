import { NEMESES } from './nemesis';
import { type PlannedFault, triggersAmong } from './nemesis/nemesis';
import { Random } from './random';
import { type Asked, type ChaosSchedule, schedulesOf } from './workload/definitions';

/** What is asked of one schedule, and when. */
export interface PlannedAsk {
  /** Milliseconds after the faults begin. */
  at: number;
  scheduleId: string;
  ask: Asked | 'unpause';
  /** Milliseconds between two occurrences, for an update. */
  every?: number;
}

/** All of a run that is decided before it begins. */
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
  /** Of the schedules of each kind. */
  share: number;
  members: readonly string[];
  /** Names of the kinds of faults to draw from. */
  faults: readonly string[];
  /** For so long no start of any trigger reaches the server, beside what is drawn. @default 0 */
  startsRefusedMilliseconds?: number;
}

const PAUSE_BETWEEN_FAULTS = [500, 4_500] as const;
/** After a server was away, what waits is worked off before the next one goes. */
const REST_OF_A_SERVER_MILLISECONDS = 12_000;
/** A definition that never fires any more is refused: these are answered before the end, however long a server is away. */
const DEFINED_BEFORE_THE_END_MILLISECONDS = 20_000;
const ASK_EVERY = [400, 1_200] as const;
const PAUSED_FOR = [1_000, 9_000] as const;

/** The same plan for the same options, always. */
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

/** A scene of its own: only starts fail, for minutes, while all else works. */
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
