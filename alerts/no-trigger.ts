import { v5 as uuidv5 } from 'uuid';

/**
 * The ID of the alert that no trigger is alive. It depends only on the ledger and the last alert pass, so every server
 * and the trigger that ends the time without triggers mean the same incident.
 *
 * @param readTo the instant of the last alert pass; null if there was none
 */
export function noTriggerAlertId(installationId: string, readTo: Date | null): string {
  return uuidv5(`no_trigger ${readTo?.toISOString() ?? 'ever'}`, installationId);
}
