import { spend } from './steps';

const STEPS_OF_LONG_NUMBERS = 50;

/** An interval: the instants `phase + n × every` for all whole n, in seconds; `phase` is in 0 … every - 1. */
export interface Interval {
  readonly every: number;
  readonly phase: number;
}

export function intervalFrom(every: number, start: number): Interval {
  const remainder = start % every;
  return { every, phase: remainder < 0 ? remainder + every : remainder };
}

export function nextOfInterval(interval: Interval, from: number): number {
  const { every, phase } = interval;
  return Math.ceil((from - phase) / every) * every + phase;
}

export function previousOfInterval(interval: Interval, upTo: number): number {
  const { every, phase } = interval;
  return Math.floor((upTo - phase) / every) * every + phase;
}

export function intervalHas(interval: Interval, second: number): boolean {
  return (second - interval.phase) % interval.every === 0;
}

/** How many instants of an interval lie in `from … upTo`, both included. */
export function countInterval(interval: Interval, from: number, upTo: number): number {
  if (upTo < from) return 0;
  const { every, phase } = interval;
  return Math.floor((upTo - phase) / every) - Math.ceil((from - phase) / every) + 1;
}

/**
 * The instants that two intervals share. The result is an interval too, or undefined if they share no instant in 0 …
 * `horizon`.
 */
export function intersect(a: Interval, b: Interval, horizon: number): Interval | undefined {
  const divisor = gcd(a.every, b.every);
  if ((a.phase - b.phase) % divisor !== 0) return undefined;
  spend(STEPS_OF_LONG_NUMBERS);
  const p = BigInt(a.every);
  const q = BigInt(b.every / divisor);
  const every = p * q;
  // phase = a.phase + p·n where p·n ≡ b.phase - a.phase (mod b.every)
  const steps = (BigInt((b.phase - a.phase) / divisor) * inverse(p / BigInt(divisor), q)) % q;
  const phase = BigInt(a.phase) + p * (steps < 0n ? steps + q : steps);
  if (phase > BigInt(horizon)) return undefined;
  const capped = every > 2n ** 52n ? 2 ** 52 : Number(every);
  return { every: capped, phase: Number(phase) };
}

function gcd(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

/** The inverse of `a` modulo `m`; the two numbers have no common divisor. */
function inverse(a: bigint, m: bigint): bigint {
  let [r, nextR, t, nextT] = [m, ((a % m) + m) % m, 0n, 1n];
  while (nextR !== 0n) {
    const quotient = r / nextR;
    [r, nextR] = [nextR, r - quotient * nextR];
    [t, nextT] = [nextT, t - quotient * nextT];
  }
  return t;
}
