import { storedRules } from '../../core/alert-rules';
import { millisecondsOf } from '../../core/duration';
import { InvalidOptionError } from '../../core/errors';
import { checkOptions } from '../../core/options';
import { type LedgerSettings, readSettings, writeSettings } from '../../store/settings';
import { ledgerSettings } from '../call-options';
import type { ClientContext } from '../context';
import type { LedgerSettingsUpdate } from './settings-update';

export type { LedgerSettings } from '../../store/settings';

/**
 * Settings that all triggers of a ledger share. A trigger reads these settings when it starts and with each heartbeat.
 *
 * @see `docs/defaults.md`
 */
export class Settings {
  constructor(private readonly context: ClientContext) {}

  /** The settings in force. */
  async describe(): Promise<LedgerSettings> {
    await this.context.ready();
    return readSettings(this.context.store);
  }

  /**
   * Change the given settings. Running triggers apply them at their next heartbeat, by default within four seconds.
   *
   * @throws {InvalidOptionError} for a value that is not allowed, and for a client of one tenant
   */
  async set(update: LedgerSettingsUpdate): Promise<LedgerSettings> {
    checkOptions(ledgerSettings, update);
    const { tenant, store } = this.context;
    if (tenant !== undefined) {
      throw new InvalidOptionError(
        'tenant',
        `only an operator may set them: this client is limited to tenant '${tenant}'`,
      );
    }
    const { staleAfter, retention, archiveFirst, alerts } = update;
    await this.context.ready();
    await writeSettings(store, {
      ...(staleAfter !== undefined && { staleAfterMilliseconds: millisecondsOf(staleAfter)! }),
      ...(retention !== undefined && {
        retentionMilliseconds: millisecondsOf(retention) ?? Number.POSITIVE_INFINITY,
      }),
      ...(archiveFirst !== undefined && { archiveFirst }),
      ...(alerts !== undefined && { alerts: storedRules(alerts) ?? {} }),
    });
    return this.describe();
  }
}
