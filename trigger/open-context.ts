import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from '@temporalio/common';
import { LedgerOutage } from '../alerts/ledger-outage';
import { Complaints } from '../logging/complaints';
import { openStore } from '../store/connection';
import { readRetentionFloor } from '../store/firings/retire-month';
import { noticeIncarnation } from '../store/incarnation';
import { checkSchema } from '../store/meta';
import { checkRights } from '../store/rights';
import { readSettings } from '../store/settings';
import type { TemporalSettings } from '../temporal/caller';
import { Temporal, type TemporalServers } from '../temporal/temporal';
import { AwayLog } from './away-log';
import { claimBatch } from './claim/growing-batch';
import { HeldUp } from './claim/held-up';
import { Declined } from './claim/not-ahead';
import { DatabaseClock } from './clock';
import type { TriggerContext } from './context';
import { DefinitionCache } from './definitions';
import { CappedStarts } from './dispatch/caps';
import { StartRate } from './dispatch/rate';
import { StartGates } from './dispatch/starts-in-flight';
import { WaitingHints } from './dispatch/waiting-hints';
import { HostClock } from './host-clock';
import { PassLanes } from './lanes';
import { pinoLogger } from './logging';
import { TriggerMetrics } from './metrics/metrics';
import { EndLists } from './observe/end-lists';
import { limitsOf, type TunedTriggerOptions } from './options';
import { heldSchedules, NOTHING_HELD } from './recover/adoption';
import { RefusedRows } from './refused-rows';
import { TransitionLog } from './transition-log';
import { KnownMonths } from './upkeep/known-months';

const CONNECTIONS_AT_MOST = 10;

export type ConnectServers = (settings: TemporalSettings, logger: Logger) => Promise<TemporalServers>;

export async function openContext(
  options: Omit<TunedTriggerOptions, 'connection' | 'namespaces'>,
  connect: ConnectServers,
  stopping: AbortSignal,
): Promise<TriggerContext> {
  const ledger = openStore({ ...options, connectionsAtMost: options.connectionsAtMost ?? CONNECTIONS_AT_MOST });
  try {
    const limits = limitsOf(options);
    const lacking = await checkRights(ledger);
    const { installationId } = await checkSchema(ledger);
    const clock = options.clock ?? new DatabaseClock();
    // Notice a replaced database before the first claim: in such a database nothing may be claimed before adoption.
    const { incarnation, adopted, adoptedAt } = await noticeIncarnation(ledger, new Date(clock.now()));
    ledger.expect(incarnation);
    const logger = new TransitionLog(options.logger ?? pinoLogger());
    if (lacking.length > 0) logger.warn('rights are missing, so some work is left undone', { grant: lacking });
    // Reads that may fail come before the connections to Temporal and the metrics, which nobody would close after a
    // failure.
    const settings = await readSettings(ledger);
    const retentionFloor = await readRetentionFloor(ledger);
    const servers = await connect(
      {
        deadlineMilliseconds: limits.startDeadlineMilliseconds,
        stalledAfterMilliseconds: limits.stalledAfterMilliseconds,
        // A clock that a program sets has nothing to do with the time of Temporal's tasks.
        now: clock instanceof DatabaseClock ? () => clock.now() : undefined,
        identity: options.identity ?? `escapement@${hostname()}`,
      },
      logger,
    );
    const away = new AwayLog(logger);
    const temporal: Temporal = new Temporal(servers, () => clock.now(), {
      onAway: (namespace, error) => away.onAway(namespace, error),
      onBack: (namespace) => {
        away.onBack(namespace);
        context.onBack();
      },
      onForgotten: (namespace) => away.onForgotten(namespace),
      onCall: (method, code, seconds) => metrics.call(method, code, seconds),
    });
    const store = ledger.share(ledger.connectionsAtMost - 1);
    const sources = {
      store,
      temporal,
      clock: clock instanceof DatabaseClock ? clock : undefined,
      settings: () => context.settings,
    };
    const metrics = new TriggerMetrics(options.metrics, sources, new Set(options.metricsSchedules));
    const context: TriggerContext = {
      id: randomUUID(),
      installationId,
      store,
      heartbeatStore: ledger,
      temporal,
      metrics,
      hostClock: new HostClock(options.hostClock),
      outage: new LedgerOutage(installationId),
      webhooks: options.alerts?.webhooks ?? [],
      clock,
      logger,
      limits,
      settings,
      definitions: new DefinitionCache(),
      failureTexts: { keepFailureTexts: options.keepFailureTexts ?? true, redact: options.redact },
      waiting: new WaitingHints(),
      gates: new StartGates(limits.startsInFlight),
      rates: {
        due: new StartRate(limits.startsPerSecondAssumed),
        ahead: new StartRate(limits.startsPerSecondAssumed),
      },
      caps: new CappedStarts(options.maxStartsPerSecond ?? {}, options.monotonic),
      lanes: new PassLanes(),
      isBehind: false,
      claims: claimBatch(limits),
      ends: new EndLists(() => clock.now(), limits),
      aside: new RefusedRows(
        logger,
        () => clock.now(),
        () => heldSchedules(context.adoption),
      ),
      stalls: new Complaints(logger, { failing: 'runs make no progress', over: 'runs make progress again' }),
      locked: new Complaints(logger, {
        failing: 'a schedule is locked, so its ends are not recorded',
        over: 'the schedule is free again',
      }),
      heldUp: new HeldUp(logger),
      busy: new Complaints(logger, {
        failing: 'starts held back: Temporal is too busy',
        over: 'Temporal no longer refuses starts as too busy',
      }),
      declined: new Declined(),
      suspects: new Map(),
      retentionFloor,
      retention: { said: undefined, problem: undefined },
      months: new KnownMonths(
        new Complaints(logger, {
          failing: 'a month of firings cannot be created, so nothing of it is claimed',
          over: 'the month was created, or is no longer needed',
        }),
      ),
      adoption: {
        about: '',
        held: adopted ? NOTHING_HELD : 'all',
        done: new Set(),
        complaints: new Map(),
        unlisted: new Map(),
        asking: new Complaints(logger, {
          failing:
            'parked runs cannot be asked for letters that a failover may have lost: triggers must be able to list and signal workflows',
          over: 'parked runs are asked for their letters again',
        }),
        adoptedAt,
        heardAt: undefined,
        again: undefined,
      },
      onNotice: () => {},
      leftToOthers: new Map(),
      unreadableFreezes: new Set(),
      zoneDataSaid: '[]',
      onLeftBehind: () => {},
      onBack: () => {},
      onSuspects: () => {},
      onInterrupts: () => {},
      stopping,
    };
    return context;
  } catch (error) {
    await ledger.close();
    throw error;
  }
}
