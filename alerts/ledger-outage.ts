import { randomUUID } from 'node:crypto';
import { v5 as uuidv5 } from 'uuid';
import { ALERT_DEFAULTS } from '../core/alert-defaults';
import type { HeartbeatAnswer } from '../store/triggers';
import { messageOf, type ToldAlert } from './message';
import { post } from './post';
import { pauseOf } from './retry';
import { type AlertWebhook, targetOf } from './webhooks';

/** An outage: Postgres does not accept this trigger's heartbeats. */
interface Outage {
  readonly since: Date;
  error: string;
  /** What each webhook has accepted, by the webhook's target. */
  readonly told: Map<string, Told>;
  /** Undefined until the outage ends, and for ever if it was too short for an alert. */
  ended?: EndedOutage;
}

/** What one webhook has accepted about the outage, and when it may be tried again. */
interface Told {
  /** When the webhook last accepted a message; null if it accepted none. */
  acceptedAt: Date | null;
  /** Number of reminders that had come due when the webhook last accepted a message. */
  reminders: number;
  failingSince: Date | null;
  nextAttemptAt: Date;
}

export interface EndedOutage {
  alert: ToldAlert & { resolvedAt: Date };
  /** How many outages had been recorded before this one, as far as this trigger knows. */
  ordinal: number;
  /** When a webhook last accepted a message about the outage from this trigger; null if none did. */
  acceptedAt: Date | null;
  /** Webhooks that accepted the first message about the outage from this trigger. */
  takenBy: string[];
}

/**
 * The state and the alert of an outage of Postgres are kept in memory, since no row can be written. The `webhook-id` of
 * a message depends only on what the trigger has read before the outage, and on the hour. So triggers that have read the
 * same mostly send the same ID.
 */
export class LedgerOutage {
  #underWay: Outage | undefined;
  /** Ended outages that were not passed to {@link recorded} yet, the oldest first. */
  readonly #unrecorded = new Set<Outage>();
  /**
   * How many outages are recorded, as far as this trigger knows. This count is also the number of the outage that is
   * under way or comes next. Triggers that see the same outage normally have the same number for it.
   */
  #ordinal = 0;
  /**
   * Since when triggers are alive. This distinguishes outages of the same number: if all triggers die in an outage,
   * nobody records it, and the next outage gets the same number. Before its first heartbeat, a trigger knows neither
   * this time nor the number. So a random text stands here.
   */
  #aliveSince: string = randomUUID();

  constructor(private readonly installationId: string) {}

  get isUnderWay(): boolean {
    return this.#underWay !== undefined;
  }

  /** The first ended outage that was long enough for an alert, and was not passed to {@link recorded} yet. */
  get ended(): EndedOutage | undefined {
    const [first] = this.#unrecorded;
    return first?.ended;
  }

  /** Note that Postgres has not accepted a heartbeat. */
  failed(now: Date, error: string): void {
    this.#underWay ??= { since: now, error, told: new Map() };
    this.#underWay.error = error;
  }

  /** Note that Postgres has accepted a heartbeat, with what it answered. */
  over(now: Date, { outages, aliveSince }: Pick<HeartbeatAnswer, 'outages' | 'aliveSince'>): void {
    const outage = this.#underWay;
    if (outage && isLong(outage, now)) {
      const alert = { ...this.#alert(outage), resolvedAt: now };
      outage.ended = { alert, ordinal: this.#ordinal, ...takenOf(outage) };
      this.#unrecorded.add(outage);
    }
    this.#ordinal = Math.max(this.#ordinal, outages);
    this.#aliveSince = aliveSince?.toISOString() ?? '';
    this.#underWay = undefined;
  }

  /**
   * Note that the ledger has this outage, perhaps from another trigger. The next outage may begin before a heartbeat
   * tells the new number.
   */
  recorded(ended: EndedOutage): void {
    this.#ordinal = Math.max(this.#ordinal, ended.ordinal + 1);
    const [first] = this.#unrecorded;
    if (first?.ended === ended) this.#unrecorded.delete(first);
  }

  /** @returns whether the webhook accepted a message that was due, or why it did not */
  async tell(webhook: AlertWebhook, clock: () => Date): Promise<{ told: boolean; error?: string }> {
    const now = clock();
    const outage = this.#underWay;
    if (!outage || !isLong(outage, now)) return { told: false };
    const target = targetOf(webhook);
    const untold: Told = { acceptedAt: null, reminders: 0, failingSince: null, nextAttemptAt: now };
    const told = outage.told.get(target) ?? untold;
    const reminder = reminderOf(outage, now);
    if (now < told.nextAttemptAt || (told.acceptedAt && told.reminders >= reminder)) return { told: false };
    outage.told.set(target, told);
    const alert = this.#alert(outage);
    const message = told.acceptedAt
      ? messageOf('alert.reminder', { ...alert, reminder }, { now })
      : messageOf('alert.opened', alert, { now });
    const error = await post(webhook, { id: message.messageId, at: now, body: message.body });
    if (error !== undefined) {
      told.nextAttemptAt = new Date(now.getTime() + pauseOf(told.failingSince, now));
      told.failingSince ??= now;
      return { told: false, error };
    }
    const acceptedAt = clock();
    Object.assign(told, { acceptedAt, reminders: reminder, failingSince: null, nextAttemptAt: now });
    if (outage.ended) {
      // The end may have been sent before, by any trigger, so the message may have opened an incident again. The new
      // end is a new object: a pass that is recording the former end then leaves the new one to the next pass.
      const ended = { ...outage.ended.alert, resolvedAt: acceptedAt };
      outage.ended = { ...outage.ended, alert: ended, ...takenOf(outage) };
      this.#unrecorded.add(outage);
    }
    return { told: true };
  }

  #alert(outage: Outage): ToldAlert & { resolvedAt: null } {
    return {
      alertId: uuidv5(`ledger_unavailable ${this.#ordinal} ${this.#aliveSince} ${hourOf(outage)}`, this.installationId),
      condition: 'ledger_unavailable',
      ...{ scheduleId: null, tenant: '', openedAt: openedAtOf(outage), resolvedAt: null, count: 1 },
      text: `A trigger has not been able to write to Postgres since ${outage.since.toISOString()}: ${outage.error}. Due firings wait.`,
    };
  }
}

function isLong({ since }: Outage, now: Date): boolean {
  return now.getTime() - since.getTime() >= ALERT_DEFAULTS.ledgerAwayMilliseconds;
}

function reminderOf(outage: Outage, now: Date): number {
  const open = now.getTime() - openedAtOf(outage).getTime();
  return Math.max(0, Math.floor(open / ALERT_DEFAULTS.reminderMilliseconds));
}

/**
 * The full hour nearest to the outage's beginning. If only triggers that died have seen an outage, nobody records it
 * while others are alive. Then only the hour distinguishes it from the next outage. It is rounded, since outages often
 * begin at a full hour, and triggers see one some seconds apart.
 */
function hourOf({ since }: Outage): number {
  return Math.round(since.getTime() / 3_600_000);
}

function openedAtOf({ since }: Outage): Date {
  return new Date(since.getTime() + ALERT_DEFAULTS.ledgerAwayMilliseconds);
}

function takenOf({ told }: Outage): Pick<EndedOutage, 'acceptedAt' | 'takenBy'> {
  const taken = [...told].filter(([, { acceptedAt }]) => acceptedAt);
  const latest = Math.max(...taken.map(([, { acceptedAt }]) => Number(acceptedAt)));
  return { acceptedAt: taken.length === 0 ? null : new Date(latest), takenBy: taken.map(([target]) => target) };
}
