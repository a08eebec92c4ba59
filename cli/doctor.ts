import type { Command } from 'commander';
import { examine } from '../doctor/diagnose';
import type { Finding } from '../doctor/finding';
import type { Standing } from '../doctor/standing';
import { type DatabaseOptions, type Environment, postgresOf, withDatabase } from './environment';
import { namespacesOf, parseNamespaceProfile, profilesOf } from './options/namespaces';
import { print, printJson, printTable } from './output/output';
import { toned } from './output/style';
import { lagInWords, lasted } from './top/screen';

type DoctorOptions = DatabaseOptions & { json?: boolean; namespaceProfile?: [string, string][] };

/** `escapement doctor`: what is wrong, and what to do. */
export function addDoctorCommand(program: Command, environment: Environment): void {
  withDatabase(program.command('doctor'))
    .description(
      'Look at Postgres, triggers, schedules and Temporal, and say what is wrong and what to do. Exits 1 where anything is.',
    )
    .option(
      '--namespace-profile <namespace=profile...>',
      "a Temporal namespace on a server of its own, by the name of a profile in Temporal's configuration (default: ESCAPEMENT_NAMESPACE_PROFILES)",
      parseNamespaceProfile,
    )
    .option('--json', 'print JSON, one line a finding')
    .action(async ({ json, namespaceProfile, ...options }: DoctorOptions) => {
      const { connectionOptions, namespace } = environment.temporal();
      const profiles = namespaceProfile ?? profilesOf(environment.namespaceProfiles);
      const { findings, standing } = await examine({
        postgres: postgresOf(environment, options),
        temporal: {
          connection: connectionOptions,
          namespaces: namespacesOf(environment, profiles),
          namespace: namespace || 'default',
        },
      });
      if (json) findings.forEach((finding) => void printJson(finding));
      else {
        printFindings(findings);
        if (standing) printStanding(standing);
      }
      if (findings.length > 0) process.exitCode = 1;
    });
}

function printFindings(findings: Finding[]): void {
  if (findings.length === 0) {
    print('Nothing is wrong.');
    return;
  }
  const of = (severity: Finding['severity']) => findings.filter((finding) => finding.severity === severity).length;
  for (const { id, severity, text, action, runBook } of findings) {
    print(`${severity === 'critical' ? toned('CRITICAL', 'red') : toned('WARNING ', 'yellow')}  ${id}`);
    print(`  ${text}`);
    print(`  Do: ${action}`);
    print(`  See: docs/operations.md#${runBook}\n`);
  }
  print(`${of('critical')} critical, ${of('warning')} warnings.`);
}

/** The triggers that are alive, each with its load, and how far behind they are together. */
function printStanding({ now, triggers, due, dueSince, lag }: Standing): void {
  if (triggers.length > 0) {
    print('');
    printTable(
      ['TRIGGER', 'HOST', 'VERSION', 'SCHEMA', 'LAST HEARTBEAT', 'STARTING', 'RUNNING'],
      triggers.map(({ id, host, version, schemaVersion, heartbeatAt, starting, running }) => [
        ...[id, host, version, String(schemaVersion), `${lasted(now, heartbeatAt)} ago`, String(starting)],
        String(running),
      ]),
    );
  }
  const since = dueSince ? `, the first for ${lasted(now, dueSince)}` : '';
  print(`Due and not claimed: ${counted(due, 'schedule')}${since}. Lag of the last five minutes: ${lagInWords(lag)}.`);
}
