import { hostname } from 'node:os';
import { isCredentials } from '../../core/credentials';
import { SCHEMA_VERSION } from '../../migrations/record';
import { readRefusedQuestions } from '../../store/letters/parked-round';
import { subjectOfCap } from '../../store/trigger-reports';
import { type Check, countedWith, some } from '../finding';
import { before, type LedgerContext, MINUTE } from './context';

export const TRIGGER_CHECKS: Check<LedgerContext>[] = [
  {
    name: 'triggers that are alive',
    async find({ triggers, hasSchedules, settings }) {
      if (triggers.length > 0 || !hasSchedules) return [];
      const seconds = settings.staleAfterMilliseconds / 1_000;
      return [
        {
          id: 'no_trigger',
          severity: 'critical',
          text: `No trigger has sent a heartbeat for ${seconds} seconds: nothing fires.`,
          action: "Start 'escapement run', or a worker with the plugin, and read the log of the trigger that stopped.",
          runBook: 'nothing-fires',
        },
      ];
    },
  },
  {
    name: 'versions of triggers',
    async find({ triggers }) {
      const older = triggers.filter(({ schemaVersion }) => schemaVersion < SCHEMA_VERSION);
      if (older.length === 0) return [];
      return [
        {
          id: 'trigger_outdated',
          severity: 'warning',
          text: `${countedWith(older.length, 'trigger', ['runs', 'run'])} an older version than this one, on ${some([...new Set(older.map(({ host }) => host))])}.`,
          action: 'Deploy this version on those hosts too.',
          runBook: 'a-bad-deploy',
        },
      ];
    },
  },
  {
    name: 'time zone data of hosts',
    async find({ triggers }) {
      const here = { host: hostname(), tz: process.versions.tz ?? null };
      const versions = new Map([here, ...triggers].flatMap(({ host, tz }) => (tz ? [[tz, host] as const] : [])));
      if (versions.size < 2) return [];
      const each = [...versions].map(([tz, host]) => `${tz} on '${host}'`);
      return [
        {
          id: 'zone_data_differs',
          severity: 'warning',
          text: `Hosts have different time zone data (${each.join(', ')}): where the rules of a zone have changed, the old and the new time may both fire.`,
          action: 'Run all triggers and clients on one version of Node.',
          runBook: 'a-bad-deploy',
        },
      ];
    },
  },
  {
    name: 'the letters of parked runs after a failover',
    async find({ store }) {
      const refused = Object.entries(await readRefusedQuestions(store));
      return refused.map(([namespace, { error, since }]) => ({
        id: 'parked_not_asked',
        severity: 'warning' as const,
        text: `Since ${since}, triggers could not ask parked runs of namespace '${namespace}' for letters that a failover may have lost: ${error}.`,
        action: 'Allow triggers to list and signal its workflows. They try again within a minute.',
        runBook: 'postgres-failover' as const,
      }));
    },
  },
  {
    name: 'namespaces that are held after a failover',
    async find({ reports: { problems } }) {
      const held = problems.filter(({ condition }) => condition === 'namespace_held');
      return held.map(({ text, action }) => ({
        id: 'namespace_held',
        severity: 'critical' as const,
        text,
        action,
        runBook: 'postgres-failover' as const,
      }));
    },
  },
  {
    name: 'the reports of triggers on Temporal',
    async find({ reports: { away, caps }, ...at }) {
      const unreachable = away.filter((one) => !isCredentials(one));
      const held = caps.filter(({ since }) => new Date(since) < before(at, MINUTE));
      return [
        ...away.filter(isCredentials).map(({ namespace, since, error }) => ({
          id: 'credentials',
          severity: 'critical' as const,
          text: `Namespace '${namespace}' has rejected the credentials of triggers since ${since}: ${error}.`,
          action: "Renew the key or certificate in Temporal's configuration, and restart the triggers that use it.",
          runBook: 'temporal-down' as const,
        })),
        ...unreachable.map(({ namespace, since, error }) => ({
          id: 'namespace_unreachable',
          severity: 'critical' as const,
          text: `Triggers have had no answer, or only refusals, from namespace '${namespace}' since ${since}: ${error}.`,
          action:
            'Its due firings wait, and start when it answers. If the error names no cause, check that its server runs.',
          runBook: 'temporal-down' as const,
        })),
        ...held.map((cap) => ({
          id: 'cap_full',
          severity: 'warning' as const,
          text: `The cap of ${cap.perSecond} starts a second in ${subjectOfCap(cap)} has held starts back since ${cap.since}.`,
          action: 'Raise the cap on all triggers, or spread the schedules.',
          runBook: 'a-stampede' as const,
        })),
      ];
    },
  },
];
