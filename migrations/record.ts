import { ledger } from './0001-0029/0001-ledger';
import { firingLife } from './0001-0029/0002-firing-life';
import { leases } from './0001-0029/0003-leases';
import { retention } from './0001-0029/0004-retention';
import { views } from './0001-0029/0005-views';
import { sources } from './0001-0029/0006-sources';
import { lists } from './0001-0029/0007-lists';
import { preStart } from './0001-0029/0008-pre-start';
import { labels } from './0001-0029/0009-labels';
import { programs } from './0001-0029/0010-programs';
import { refusedSince } from './0001-0029/0012-refused-since';
import { runAgain } from './0001-0029/0016-run-again';
import { letters } from './0001-0029/0017-letters';
import { gapsRecorded } from './0001-0029/0018-gaps-recorded';
import { tenants } from './0001-0029/0019-tenants';
import { since } from './0001-0029/0020-since';
import { searchAttributes } from './0001-0029/0021-search-attributes';
import { redriven } from './0001-0029/0022-redriven';
import { dispatch } from './0001-0029/0023-dispatch';
import { unpaused } from './0001-0029/0024-unpaused';
import { analyze } from './0001-0029/0026-analyze';
import { lanes } from './0001-0029/0027-lanes';
import { startCaps } from './0001-0029/0029-start-caps';
import { alerts } from './0030-0059/0030-alerts';
import { alertIndexes } from './0030-0059/0031-alert-indexes';
import { alertRules } from './0030-0059/0032-alert-rules';
import { problems } from './0030-0059/0033-problems';
import { keptCaps } from './0030-0059/0034-start-caps';
import { api } from './0030-0059/0037-api';
import { moves } from './0030-0059/0041-moves';
import { silence } from './0030-0059/0044-silence';
import { freezes } from './0030-0059/0045-freezes';
import { archives } from './0030-0059/0047-archives';
import { purges } from './0030-0059/0048-purges';
import { pages } from './0030-0059/0050-pages';
import { fartherAhead } from './0030-0059/0051-farther-ahead';
import { events } from './0030-0059/0052-events';
import { bulk } from './0030-0059/0053-bulk';
import { externalId } from './0030-0059/0054-external-id';
import { calendars } from './0030-0059/0055-calendars';
import { counts } from './0030-0059/0057-counts';
import { openLetters } from './0030-0059/0058-open-letters';
import { scheduleChanges } from './0030-0059/0059-schedule-changes';
import { failures } from './0060-0089/0061-failures';
import { buffered } from './0060-0089/0063-buffered';
import { freezesHeld } from './0060-0089/0064-freezes-held';
import { callers } from './0060-0089/0065-callers';
import { onlyFirings } from './0060-0089/0066-only-firings';
import type { LedgerMigration } from './migration';

/**
 * Every migration by name, in order. A migration removes only what the previous release no longer uses, so a trigger of
 * that release keeps working while a new one migrates.
 *
 * @see `docs/tables.md`
 */
export function migrations(schema: string): Record<string, LedgerMigration> {
  return {
    '0001-ledger': ledger(schema),
    '0002-firing-life': firingLife(schema),
    '0003-leases': leases(schema),
    '0004-retention': retention(schema),
    '0005-views': views(schema),
    '0006-sources': sources(),
    '0007-lists': lists(),
    '0008-pre-start': preStart(schema),
    '0009-labels': labels(schema),
    '0010-programs': programs(schema),
    '0012-refused-since': refusedSince(schema),
    '0016-run-again': runAgain(schema),
    '0017-letters': letters(schema),
    '0018-gaps-recorded': gapsRecorded(),
    '0019-tenants': tenants(schema),
    '0020-since': since(schema),
    '0021-search-attributes': searchAttributes(),
    '0022-redriven': redriven(),
    '0023-dispatch': dispatch(schema),
    '0024-unpaused': unpaused(schema),
    '0026-analyze': analyze(schema),
    '0027-lanes': lanes(schema),
    '0029-start-caps': startCaps(schema),
    '0030-alerts': alerts(schema),
    '0031-alert-indexes': alertIndexes(schema),
    '0032-alert-rules': alertRules(schema),
    '0033-problems': problems(schema),
    '0034-start-caps': keptCaps(schema),
    '0037-api': api(schema),
    '0041-moves': moves(schema),
    '0044-silence': silence(schema),
    '0045-freezes': freezes(schema),
    '0047-archives': archives(schema),
    '0048-purges': purges(schema),
    '0050-pages': pages(),
    '0051-farther-ahead': fartherAhead(schema),
    '0052-events': events(schema),
    '0053-bulk': bulk(schema),
    '0054-external-id': externalId(schema),
    '0055-calendars': calendars(schema),
    '0057-counts': counts(schema),
    '0058-open-letters': openLetters(),
    '0059-schedule-changes': scheduleChanges(schema),
    '0061-failures': failures(),
    '0063-buffered': buffered(),
    '0064-freezes-held': freezesHeld(),
    '0065-callers': callers(schema),
    '0066-only-firings': onlyFirings(schema),
  };
}

/** The version of the schema that this program reads and writes: the number of the last migration that it knows. */
export const SCHEMA_VERSION = versionOf(Object.keys(migrations('any')));

export function versionOf(names: string[]): number {
  return Math.max(...names.map((name) => Number(name.slice(0, 4))));
}
