import { z } from 'zod';
import { ALERT_CONDITIONS, type AlertCondition } from '../../core/alert-defaults';
import { scheduleId } from '../../core/definition/shape';
import { instant, note, oneOf, tenantOrAll } from '../../core/option-fields';
import type { FieldsOf } from '../../core/options';

/** Which alerts to mute, and until when. */
export interface SilenceOptions {
  /**
   * Only alerts of this schedule. @default all schedules; a silence without a tenant also mutes alerts that belong to
   * no single schedule
   */
  scheduleId?: string;
  /**
   * Only alerts of this condition, which is any but `ledger_unavailable`: no silence can mute that one. @default all
   * conditions
   */
  condition?: AlertCondition;
  /**
   * When the silence ends, which must be in the future. At its end, alerts that are open and were never sent are sent.
   */
  until: Date;
  /** Why the alerts are muted, for other people to read. At most 4,000 characters. */
  reason: string;
  /** Only alerts of this tenant's schedules. @default the client's tenant, or all tenants */
  tenant?: string | undefined;
}

/** The conditions whose alerts a silence can mute. */
export const CAN_BE_MUTED = ALERT_CONDITIONS.filter((condition) => condition !== 'ledger_unavailable');

export const silenceOptions = z.strictObject({
  scheduleId: scheduleId.optional(),
  condition: oneOf(ALERT_CONDITIONS)
    .refine((value) => value !== 'ledger_unavailable', {
      error: "'ledger_unavailable' cannot be muted: while Postgres is away, no trigger can read the silences",
    })
    .optional(),
  until: instant,
  reason: note.refine((value) => value.trim() !== '', { error: 'is empty: say why' }),
  tenant: tenantOrAll,
} satisfies FieldsOf<SilenceOptions>);
