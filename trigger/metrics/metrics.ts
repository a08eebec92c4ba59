import { Registry } from 'prom-client';
import { ALERT_CONDITIONS, ALERT_RULES } from '../../core/alert-defaults';
import { GAP_REASONS } from '../../core/decisions/catchup';
import { ABANDON_REASONS } from '../../core/decisions/recovery';
import type { OpenStore } from '../../store/connection';
import type { StartableFiring } from '../../store/firings/start';
import { type LedgerGauges, readGauges } from '../../store/reads/gauges';
import type { LedgerSettings } from '../../store/settings';
import type { Temporal } from '../../temporal/temporal';
import type { DatabaseClock } from '../clock';
import { LEDGER_METRICS, TRIGGER_METRICS } from './definitions';
import { register } from './register';

/** A scrape within this time after a read of the ledger gets the values of that read. */
const LEDGER_READ_AGAIN_MILLISECONDS = 2_000;
const LEDGER_WAIT_MILLISECONDS = 3_000;

export interface MetricSources {
  store: OpenStore;
  temporal: Temporal;
  settings(): Pick<LedgerSettings, 'staleAfterMilliseconds'>;
  /** The database's clock; undefined if another clock was injected. */
  clock: DatabaseClock | undefined;
}

/** The triggers of a process that share a registry, and the last read of the ledger's gauges for that registry. */
interface Sharing {
  sources: Set<MetricSources>;
  /** When the counters began, on the monotonic clock. */
  since: number;
  begun: Set<string>;
  collected?: { at: number; all: Promise<void> } | undefined;
}

const sharing = new WeakMap<Registry, Sharing>();

/**
 * The metrics of a trigger, and of the ledger as the trigger reads it. Since the set of label values must stay small,
 * only the schedule IDs in `metricsSchedules` are labels.
 *
 * @see `docs/metrics.md`
 */
export class TriggerMetrics {
  readonly of;
  readonly #ledger;
  readonly #shared: Sharing;

  constructor(
    readonly registry: Registry = new Registry(),
    private readonly own: MetricSources,
    private readonly schedules: ReadonlySet<string> = new Set(),
  ) {
    this.of = register(registry, TRIGGER_METRICS);
    this.#ledger = register(registry, LEDGER_METRICS);
    this.#shared = sharing.get(registry) ?? { sources: new Set(), since: performance.now(), begun: new Set() };
    this.#shared.sources.add(own);
    this.#shared.collected = undefined;
    sharing.set(registry, this.#shared);
    Object.assign(this.of.away, { collect: () => this.#collectTriggers() });
    Object.assign(this.of.countersAge, { collect: () => this.#collectAge() });
    for (const reason of GAP_REASONS) this.of.missed.inc({ reason }, 0);
    for (const metric of [this.of.abandoned, this.of.recovered, this.of.late]) {
      Object.assign(metric, { collect: () => this.#beginAll() });
    }
    // Every gauge needs this callback, since a registry collects its metrics concurrently.
    for (const gauge of Object.values(this.#ledger)) Object.assign(gauge, { collect: () => this.#collectOnce() });
  }

  /** From now on, the gauges are set by the other triggers in the registry. Without any, they have no values. */
  close(): void {
    this.#shared.sources.delete(this.own);
    this.#shared.collected = undefined;
  }

  async pass<Result>(pass: string, run: () => Promise<Result>): Promise<Result> {
    const end = this.of.passDuration.startTimer({ pass });
    try {
      return await run();
    } catch (error) {
      this.of.passFailures.inc({ pass });
      throw error;
    } finally {
      end();
    }
  }

  /**
   * `at` is when the start was answered, or when recovery found the chain, in epoch milliseconds.
   *
   * @returns the firing's lag in milliseconds
   */
  linked(firing: StartableFiring, { at, dueAt }: { at: number; dueAt: Date }): number {
    const { namespace, kind, epoch, readyAt, startsAt, recovery } = firing;
    this.#begin(namespace);
    const beginsAt = Math.max(at, startsAt?.getTime() ?? at);
    this.of.linked.inc({ namespace, kind });
    if (recovery) this.of.recovered.inc({ namespace });
    if (readyAt) this.of.dispatchDelay.observe({ namespace }, secondsFrom(readyAt, at));
    const lag = secondsFrom(dueAt, beginsAt);
    this.of.lag.observe({ namespace, kind }, lag);
    const couldStartAt = Math.max(dueAt.getTime(), readyAt?.getTime() ?? 0);
    const isLate = kind === 'schedule' && epoch === 0 && beginsAt - couldStartAt > ALERT_RULES.late;
    if (isLate) this.of.late.inc({ namespace });
    const { scheduleId: schedule } = firing;
    if (this.schedules.has(schedule)) this.of.scheduleLag.observe({ schedule }, lag);
    return lag * 1_000;
  }

  /** Record that a chain's end was written at `at`, in epoch milliseconds. */
  closed(
    namespace: string,
    { scheduleId: schedule, outcome, closedAt }: { scheduleId: string; outcome: string; closedAt: Date },
    at: number,
  ): void {
    this.of.closed.inc({ namespace, outcome });
    if (this.schedules.has(schedule)) this.of.scheduleClosed.inc({ schedule, outcome });
    this.of.noticeDelay.observe({ namespace }, secondsFrom(closedAt, at));
  }

  notStarted(
    state: 'skipped' | 'abandoned',
    { namespace, scheduleId: schedule }: { namespace: string; scheduleId: string },
    reason: string,
  ): void {
    this.of[state].inc({ namespace, reason });
    if (this.schedules.has(schedule)) this.of.scheduleNotStarted.inc({ schedule, reason });
  }

  call(method: string, code: string, seconds: number): void {
    this.of.calls.inc({ method, code });
    this.of.callDuration.observe({ method }, seconds);
  }

  #collectAge(): void {
    this.of.countersAge.set((performance.now() - this.#shared.since) / 1_000);
  }

  #beginAll(): void {
    for (const { temporal } of this.#shared.sources) for (const { name } of temporal.known()) this.#begin(name);
  }

  /**
   * Create the series that the alert rules for Prometheus read, with the value zero: the rules miss a series that
   * begins with its first event.
   */
  #begin(namespace: string): void {
    if (this.#shared.begun.has(namespace)) return;
    this.#shared.begun.add(namespace);
    for (const reason of ABANDON_REASONS) this.of.abandoned.inc({ namespace, reason }, 0);
    this.of.recovered.inc({ namespace }, 0);
    this.of.late.inc({ namespace }, 0);
  }

  /** Set the triggers' own gauges. If several triggers share the registry, a gauge shows the worst of their values. */
  #collectTriggers(): void {
    const { away, clockOffset, heartbeatAge } = this.of;
    const sources = [...this.#shared.sources];
    const known = sources.flatMap(({ temporal }) => [...temporal.known()]);
    away.reset();
    clockOffset.remove();
    heartbeatAge.remove();
    for (const { name, isAway } of known.sort((one, other) => Number(one.isAway) - Number(other.isAway))) {
      away.set({ namespace: name }, isAway ? 1 : 0);
    }
    const offsets = sources.flatMap(({ clock }) => clock?.offset ?? []);
    const heardAt = sources.flatMap(({ clock }) => clock?.readAt ?? clock?.madeAt ?? []);
    if (offsets.length > 0) {
      clockOffset.set(offsets.reduce((worst, one) => (Math.abs(one) > Math.abs(worst) ? one : worst)) / 1_000);
    }
    if (heardAt.length > 0) heartbeatAge.set((performance.now() - Math.min(...heardAt)) / 1_000);
  }

  #collectOnce(): Promise<void> {
    const now = performance.now();
    const { collected } = this.#shared;
    if (collected && now - collected.at < LEDGER_READ_AGAIN_MILLISECONDS) return collected.all;
    this.#shared.collected = { at: now, all: this.#collectLedger() };
    return this.#shared.collected.all;
  }

  async #collectLedger(): Promise<void> {
    const gauges = this.#ledger;
    const [sources] = this.#shared.sources;
    const read = sources && (await readInTime(sources));
    for (const [key, gauge] of Object.entries(gauges)) {
      gauge.reset();
      // Unless its value is removed, a gauge without labels would show zero.
      if (LEDGER_METRICS[key as keyof typeof LEDGER_METRICS].labels.length === 0) gauge.remove();
    }
    // Without a trigger, nobody knows whether the ledger answers.
    if (!sources) return;
    gauges.ledgerUp.set(read ? 1 : 0);
    if (!read) return;
    const age = (since: Date | null) => (since ? Math.max(0, read.now.getTime() - since.getTime()) / 1_000 : 0);
    gauges.due.set(read.due);
    gauges.dueAge.set(age(read.dueSince));
    gauges.waiting.set(read.waiting);
    gauges.waitingAge.set(age(read.waitingSince));
    gauges.running.set(read.running);
    for (const kind of ['start', 'workflow', 'parked']) gauges.openLetters.set({ kind }, 0);
    for (const { kind, open } of read.letters) gauges.openLetters.set({ kind }, open);
    gauges.openLettersAge.set(Math.max(0, ...read.letters.map(({ oldestAt }) => age(oldestAt))));
    if (read.alerts) for (const condition of ALERT_CONDITIONS) gauges.openAlerts.set({ condition }, 0);
    for (const { condition, open } of read.alerts ?? []) gauges.openAlerts.set({ condition }, open);
    if (read.leases !== null) gauges.leases.set(read.leases);
    gauges.triggers.set(read.triggers);
  }
}

function secondsFrom(instant: Date, at: number): number {
  return Math.max(0, at - instant.getTime()) / 1_000;
}

async function readInTime({ store, settings }: MetricSources): Promise<LedgerGauges | undefined> {
  let timeout: NodeJS.Timeout | undefined;
  const tooLong = new Promise<undefined>((resolve) => {
    timeout = setTimeout(() => resolve(undefined), LEDGER_WAIT_MILLISECONDS);
  });
  try {
    return await Promise.race([readGauges(store, settings()), tooLong]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timeout);
  }
}
