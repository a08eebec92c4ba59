import type { Command } from 'commander';
import { counted } from '../core/counted';
import { examine } from '../doctor/diagnose';
import type { Finding } from '../doctor/finding';
import { type DatabaseOptions, type Environment, postgresOf, withDatabase } from './environment';
import { type ProfileFlags, temporalOf, withProfiles } from './options/namespaces';
import { print, printJson, write } from './output/output';
import { toned } from './output/style';
import { printStanding, standingAsLine } from './standing';

type DoctorOptions = DatabaseOptions & ProfileFlags & { json?: boolean };

export function addDoctorCommand(program: Command, environment: Environment): void {
  withProfiles(withDatabase(program.command('doctor')))
    .description(
      'Check Postgres, triggers, schedules and Temporal. Reports each problem and what to do. Exits with 1 if there is a problem.',
    )
    .option('--json', 'print JSON, one line a finding, and one line about the triggers and their load')
    .action(async ({ json, ...options }: DoctorOptions) => {
      const { namespace = 'default', ...servers } = temporalOf(environment, options);
      const { findings, standing } = await examine({
        postgres: postgresOf(environment, options),
        temporal: { ...servers, namespace },
      });
      if (json) {
        for (const finding of findings) printJson(finding);
        if (standing) printJson(standingAsLine(standing));
      } else {
        printFindings(findings);
        printStanding(standing);
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
    write([`${severity === 'critical' ? toned('CRITICAL', 'red') : toned('WARNING ', 'yellow')}  ${id}`]);
    print(`  ${text}`);
    print(`  Do: ${action}`);
    print(`  See: docs/operations.md#${runBook}\n`);
  }
  print(`${of('critical')} critical, ${counted(of('warning'), 'warning')}.`);
}
