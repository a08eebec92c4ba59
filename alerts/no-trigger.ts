import { v5 as uuidv5 } from 'uuid';

/**
 * The ID of an alert `no_trigger`. It depends only on the ledger and the last alert pass. So all servers, and the
 * trigger that ends the time without triggers, use one ID for the same incident.
 *
 * @param readTo the instant of the last alert pass; null if there was none
 */
export function noTriggerAlertId(installationId: string, readTo: Date | null): string {
  return uuidv5(`no_trigger ${readTo?.toISOString() ?? 'ever'}`, installationId);
}
