import { v5 as uuidv5 } from 'uuid';
import { ALERT_DEFAULTS } from '../core/alerts';
import { messageOf, type ToldAlert } from './message';
import { post } from './post';
import { pauseOf } from './retry';
import { type AlertWebhook, targetOf } from './webhooks';

/** That Postgres took no writes, from when on, and what it said last. */
interface Outage {
  since: Date;
  error: string;
  /** How many were recorded before it: the same for all triggers that see it. */
  ordinal: number;
}

/** What a webhook was told of it. */
interface Told {
  /** Whether it took the first message. */
  opened: boolean;
  /** How many reminders it took. */
  reminders: number;
  failingSince: Date | null;
  nextAttemptAt: Date;
}

/** One that is over and is to be recorded. */
export interface EndedOutage {
  alert: ToldAlert & { resolvedAt: Date };
  /** Targets that took its first message. */
  takenBy: string[];
}

/**
 * What a trigger knows of Postgres while it takes no writes: kept in memory, since there is no row for it, and told from there.
 * Every trigger that sees one outage tells it under the same `webhook-id`.
 */
export class LedgerOutage {
  #underWay: Outage | undefined;
  #ended: EndedOutage | undefined;
  #ordinal = 0;
  readonly #told = new Map<string, Told>();

  constructor(private readonly installationId: string) {}

  get isUnderWay(): boolean {
    return this.#underWay !== undefined;
  }

  /** One that is over and that nobody has recorded yet. */
  get ended(): EndedOutage | undefined {
    return this.#ended;
  }

  /** Postgres has not taken a sign of life. */
  failed(now: Date, error: string): void {
    this.#underWay = { since: now, ordinal: this.#ordinal, ...this.#underWay, error };
  }

  /** It has taken one. @param ordinal how many outages are recorded */
  over(now: Date, ordinal: number): void {
    this.#ordinal = ordinal;
    if (!this.#underWay) return;
    if (this.#isLong(now)) {
      const takenBy = [...this.#told].flatMap(([target, { opened }]) => (opened ? [target] : []));
      this.#ended = { alert: { ...this.#alert(this.#underWay), resolvedAt: now }, takenBy };
    }
    this.#underWay = undefined;
    this.#told.clear();
  }

  recorded(): void {
    this.#ended = undefined;
  }

  /** Tell a webhook what it does not know yet, once. @returns whether there was anything, and why it was not taken */
  async tell(webhook: AlertWebhook, now: Date): Promise<{ told: boolean; error?: string }> {
    const target = targetOf(webhook);
    const told = this.#told.get(target) ?? { opened: false, reminders: 0, failingSince: null, nextAttemptAt: now };
    const reminder = this.#reminder(now);
    if (!this.#underWay || !this.#isLong(now) || now < told.nextAttemptAt) return { told: false };
    if (told.opened && told.reminders >= reminder) return { told: false };
    this.#told.set(target, told);
    const alert = this.#alert(this.#underWay);
    const message = told.opened
      ? messageOf('alert.reminder', { ...alert, reminder }, { now })
      : messageOf('alert.opened', alert, { now });
    const error = await post(webhook, { id: message.messageId, at: now, body: message.body });
    if (error !== undefined) {
      told.nextAttemptAt = new Date(now.getTime() + pauseOf(told.failingSince, now));
      told.failingSince ??= now;
      return { told: false, error };
    }
    Object.assign(told, { opened: true, reminders: reminder, failingSince: null, nextAttemptAt: now });
    return { told: true };
  }

  #isLong(now: Date): boolean {
    const { since } = this.#underWay!;
    return now.getTime() - since.getTime() >= ALERT_DEFAULTS.ledgerAwayMilliseconds;
  }

  /** How many reminders it is worth by now. */
  #reminder(now: Date): number {
    if (!this.#underWay) return 0;
    const open = now.getTime() - openedAtOf(this.#underWay).getTime();
    return Math.max(0, Math.floor(open / ALERT_DEFAULTS.reminderMilliseconds));
  }

  #alert(outage: Outage): ToldAlert & { resolvedAt: null } {
    return {
      alertId: uuidv5(`ledger_unavailable ${outage.ordinal}`, this.installationId),
      condition: 'ledger_unavailable',
      ...{ scheduleId: null, tenant: '', openedAt: openedAtOf(outage), resolvedAt: null, count: 1 },
      text: `A trigger has had nothing written to Postgres since ${outage.since.toISOString()}: ${outage.error}. What is due waits.`,
    };
  }
}

function openedAtOf({ since }: Outage): Date {
  return new Date(since.getTime() + ALERT_DEFAULTS.ledgerAwayMilliseconds);
}
