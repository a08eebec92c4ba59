import { Command } from 'commander';
import { version } from '../version';
import { addAlertCommands } from './alert/alert';
import { addCalendarCommands } from './calendar';
import { addCompletionCommand } from './completion';
import { addArchiveCommands } from './db/archive';
import { addDbCommands } from './db/db';
import { addPurgeCommand } from './db/purge';
import { addDeadLetterCommands } from './dead-letter/dead-letter';
import { addDevCommand } from './dev-command';
import { addDoctorCommand } from './doctor';
import type { Environment } from './environment';
import { addExplainCommand } from './firing/explain';
import { addFiringCommands } from './firing/firing';
import { addFreezeCommands } from './freeze';
import { addAuditCommand } from './moving/audit';
import { addCompareCommand } from './moving/compare';
import { addExportCommand } from './moving/export';
import { addImportCommands } from './moving/import';
import { addMoveCommands } from './moving/move-commands';
import { addOutputFlags } from './output/output-flags';
import { addRunCommand } from './run';
import { addScheduleCommands } from './schedule/schedule';
import { addServeCommand } from './serve';
import { addSourceCommands } from './source';
import { addStatsCommand } from './stats';
import { addTenantCommands } from './tenant';
import { addTokenCommands } from './token';
import { addTopCommand } from './top/top';
import { addTriggerCommands } from './trigger';

export function program(environment: Environment): Command {
  const command = new Command('escapement')
    .description('Guaranteed cron for Temporal.')
    .version(version)
    .exitOverride()
    // `import` has options of its own, and its subcommands have options of the same names.
    .enablePositionalOptions()
    .showHelpAfterError()
    .addHelpText(
      'after',
      `
Environment:
  DATABASE_URL           Postgres, such as postgres://user@host/database
  ESCAPEMENT_DATABASE_PASSWORD_COMMAND
                         prints the password for Postgres, and is run for each new connection
  TEMPORAL_ADDRESS …     Temporal, as the Temporal CLI reads it (TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS_…, profiles)
  ESCAPEMENT_SCHEMA      Postgres schema (default: escapement)
  ESCAPEMENT_IDENTITY    who makes the changes (default: user@host)
  ESCAPEMENT_TENANT      default of --tenant, except for 'purge' and 'token create' (default: all tenants)
  ESCAPEMENT_LOG_LEVEL   trace, debug, info, warn or error (default: info)
  ESCAPEMENT_ALERT_SECRET  signs what 'escapement run --alert-webhook' sends: whsec_…
  ESCAPEMENT_PAGERDUTY_KEY  integration key of the service for 'run --alert-webhook pagerduty'
  NO_COLOR               if not empty: no colours on a terminal
  ESCAPEMENT_METRICS_PORT  where 'escapement run' and 'serve' serve their metrics and health
  ESCAPEMENT_NAMESPACE_PROFILES
                         Temporal namespaces on servers of their own: billing=billing-profile,reports=…`,
    );
  addDevCommand(command, environment);
  addRunCommand(command, environment);
  addServeCommand(command, environment);
  addDbCommands(command, environment);
  addDoctorCommand(command, environment);
  addScheduleCommands(command, environment);
  addCompareCommand(command, environment);
  addMoveCommands(command, environment);
  addFiringCommands(command, environment);
  addDeadLetterCommands(command, environment);
  addAlertCommands(command, environment);
  addFreezeCommands(command, environment);
  addCalendarCommands(command, environment);
  addExplainCommand(command, environment);
  addSourceCommands(command, environment);
  addStatsCommand(command, environment);
  addTenantCommands(command, environment);
  addTopCommand(command, environment);
  addTokenCommands(command, environment);
  addTriggerCommands(command, environment);
  addAuditCommand(command, environment);
  addExportCommand(command, environment);
  addImportCommands(command, environment);
  addArchiveCommands(command, environment);
  addPurgeCommand(command, environment);
  addCompletionCommand(command);
  addOutputFlags(command, environment);
  return command;
}
