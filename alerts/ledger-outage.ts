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
  since: Date;
  error: string;
}

/** What one webhook has accepted about the outage, and when it may be tried again. */
interface Told {
  /** Whether a message is on its way. */
  isSending: boolean;
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
  /**
   * When a webhook last accepted a message about the outage from this trigger; null if none did. A message that is on
   * its way at the end counts as accepted then.
   */
  acceptedAt: Date | null;
  /** Webhooks that accepted the first message about the outage from this trigger. */
  takenBy: string[];
}

/**
 * The state and the alert of an outage of Postgres are kept in memory, since no row can be written. The `webhook-id` of
 * a message depends on what each trigger has read before the outage, and not on the trigger that sends it.
 */
export class LedgerOutage {
  #underWay: Outage | undefined;
  readonly #ended: EndedOutage[] = [];
  /**
   * How many outages are recorded, as far as this trigger knows. It is the number of the outage that is under way or
   * comes next. Triggers that see the same outage normally have the same number for it.
   */
  #ordinal = 0;
  /**
   * Since when triggers are alive. If all of them end in an outage, nobody records it, and the next outage has the same
   * number. A trigger without a heartbeat knows neither, so it begins with a value of its own.
   */
  #aliveSince: string = randomUUID();
  readonly #told = new Map<string, Told>();

  constructor(private readonly installationId: string) {}

  get isUnderWay(): boolean {
    return this.#underWay !== undefined;
  }

  /** The first outage that was long enough for an alert, has ended, and has not come to {@link recorded} yet. */
  get ended(): EndedOutage | undefined {
    return this.#ended[0];
  }

  /** Note that Postgres has not accepted a heartbeat. */
  failed(now: Date, error: string): void {
    this.#underWay = { since: now, ...this.#underWay, error };
  }

  /** Note that Postgres has accepted a heartbeat, with what it answered. */
  over(now: Date, { outages, aliveSince }: Pick<HeartbeatAnswer, 'outages' | 'aliveSince'>): void {
    if (this.#underWay && this.#isLong(now)) {
      const told = [...this.#told];
      const acceptedAt = told.flatMap(([, one]) => (one.isSending ? now : (one.acceptedAt ?? [])));
      this.#ended.push({
        alert: { ...this.#alert(this.#underWay), resolvedAt: now },
        ordinal: this.#ordinal,
        acceptedAt: acceptedAt.length === 0 ? null : new Date(Math.max(...acceptedAt.map(Number))),
        takenBy: told.flatMap(([target, one]) => (one.acceptedAt ? target : [])),
      });
    }
    this.#ordinal = Math.max(this.#ordinal, outages);
    this.#aliveSince = aliveSince?.toISOString() ?? '';
    this.#underWay = undefined;
    this.#told.clear();
  }

  /**
   * Note that the ledger has this outage, perhaps from another trigger. The next outage may begin before a heartbeat
   * tells the new number.
   */
  recorded(ended: EndedOutage): void {
    this.#ordinal = Math.max(this.#ordinal, ended.ordinal + 1);
    if (this.ended === ended) this.#ended.shift();
  }

  /** @returns whether the webhook accepted a message that was due, or why it did not */
  async tell(webhook: AlertWebhook, clock: () => Date): Promise<{ told: boolean; error?: string }> {
    const now = clock();
    const target = targetOf(webhook);
    const untold: Told = {
      ...{ isSending: false, acceptedAt: null },
      ...{ reminders: 0, failingSince: null, nextAttemptAt: now },
    };
    const told = this.#told.get(target) ?? untold;
    const reminder = this.#reminder(now);
    if (!this.#underWay || !this.#isLong(now) || now < told.nextAttemptAt) return { told: false };
    if (told.acceptedAt && told.reminders >= reminder) return { told: false };
    this.#told.set(target, told);
    const alert = this.#alert(this.#underWay);
    const message = told.acceptedAt
      ? messageOf('alert.reminder', { ...alert, reminder }, { now })
      : messageOf('alert.opened', alert, { now });
    told.isSending = true;
    const error = await post(webhook, { id: message.messageId, at: now, body: message.body });
    told.isSending = false;
    if (error !== undefined) {
      told.nextAttemptAt = new Date(now.getTime() + pauseOf(told.failingSince, now));
      told.failingSince ??= now;
      return { told: false, error };
    }
    // Another trigger may have recorded and told the end since the message was sent.
    Object.assign(told, { acceptedAt: clock(), reminders: reminder, failingSince: null, nextAttemptAt: now });
    return { told: true };
  }

  #isLong(now: Date): boolean {
    const { since } = this.#underWay!;
    return now.getTime() - since.getTime() >= ALERT_DEFAULTS.ledgerAwayMilliseconds;
  }

  #reminder(now: Date): number {
    if (!this.#underWay) return 0;
    const open = now.getTime() - openedAtOf(this.#underWay).getTime();
    return Math.max(0, Math.floor(open / ALERT_DEFAULTS.reminderMilliseconds));
  }

  #alert(outage: Outage): ToldAlert & { resolvedAt: null } {
    return {
      alertId: uuidv5(`ledger_unavailable ${this.#ordinal} ${this.#aliveSince}`, this.installationId),
      condition: 'ledger_unavailable',
      ...{ scheduleId: null, tenant: '', openedAt: openedAtOf(outage), resolvedAt: null, count: 1 },
      text: `A trigger has not been able to write to Postgres since ${outage.since.toISOString()}: ${outage.error}. Due firings wait.`,
    };
  }
}

function openedAtOf({ since }: Outage): Date {
  return new Date(since.getTime() + ALERT_DEFAULTS.ledgerAwayMilliseconds);
}
