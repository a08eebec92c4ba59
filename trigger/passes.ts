import type { AlertResult } from '../alerts/open-and-resolve';
import type { SendResult } from '../alerts/send';
import type { AlertWebhook } from '../alerts/webhooks';
import type { ClaimResult, ClaimScope } from './claim/claim';
import type { VerifyResult } from './claim/verify';
import type { DispatchResult, DispatchScope } from './dispatch/dispatch';
import type { Floors } from './floors';
import type { GoOn } from './lanes';
import type { InterruptResult } from './observe/interrupt';
import type { ObserveResult, ObserveScope } from './observe/observe';
import type { ResetResult, ResetScope } from './observe/reset';
import type { AdoptResult } from './recover/adopt';
import type { AskResult } from './recover/ask-parked';
import type { ReconcileResult, ReconcileScope } from './recover/reconcile';
import type { RedriveResult } from './redrive/redrive';
import type { Activity } from './transition-log';

/** The passes of a trigger. A pass with the parameter `goOn` calls it when the next pass may begin beside it. */
export interface TriggerPasses {
  /** Ask the servers of Temporal whether they answer. */
  connect(): Promise<void>;
  /** Ask the namespaces that are away whether they answer again. */
  askAway(goOn?: GoOn): Promise<void>;
  /** Claim due occurrences. */
  claim(scope?: ClaimScope): Promise<ClaimResult>;
  /** Ask Temporal whether the firings that block schedules still run, and decide by the answer. */
  verify(goOn?: GoOn): Promise<VerifyResult>;
  /** Start and link waiting firings: a batch of one namespace, or a batch of each. */
  dispatch(namespace?: string, scope?: DispatchScope): Promise<DispatchResult>;
  /** Cancel or terminate chains that should end. */
  interrupt(goOn?: GoOn): Promise<InterruptResult>;
  /** Record how open chains ended. */
  observe(goOn?: GoOn, scope?: ObserveScope): Promise<ObserveResult>;
  /**
   * Take over lost firings, except in namespaces that are away. Until another call finds that such a namespace answers
   * again, as {@link askAway} does, its firings are left out.
   */
  reconcile(goOn?: GoOn, scope?: ReconcileScope): Promise<ReconcileResult>;
  /** Lower the floors to the rows left below them, and read which lanes have waiting firings. */
  lowerFloors(floors?: Floors): Promise<void>;
  /** Log which stalls, locks of schedules and refusals of starts are over. */
  sayOver(): Promise<void>;
  /** Check whether a person has reset ended chains. */
  reset(goOn?: GoOn, scope?: ResetScope): Promise<ResetResult>;
  /** Carry out the requested redrives. */
  redrive(goOn?: GoOn): Promise<RedriveResult>;
  /** Write a heartbeat, and set the trigger's clock by the database's. */
  heartbeat(): Promise<void>;
  /**
   * Do the upkeep of the ledger: create partitions ahead, retire old months, delete old rows, expire parked steps, and
   * more.
   */
  sweep(): Promise<void>;
  /** Write the rows that the ledger has lost, for workflows of schedules that it still knows. */
  adopt(): Promise<AdoptResult>;
  /** Ask runs with parked steps for dead letters that a failover may have lost. */
  askParked(): Promise<AskResult>;
  /** Open and resolve alerts, and write their messages. */
  alert(): Promise<AlertResult>;
  /** Send pending alert messages, to one webhook or to each. */
  sendAlerts(webhook?: AlertWebhook): Promise<SendResult>;
  /** Log in one line the work since the last report, and the backlog. */
  report(): Promise<Activity>;
}
