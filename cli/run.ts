import type { Command } from 'commander';
import { Trigger } from '../trigger/trigger';
import { type DatabaseOptions, type Environment, postgresOf, withDatabase } from './environment';
import { type MetricsFlags, serveMetrics, withMetrics } from './metrics-endpoint';
import { parseTexts } from './options/arguments';
import { loggerOf, logLevelOption } from './options/log-level';
import { type ProfileFlags, temporalOf, withProfiles } from './options/namespaces';
import { type TriggerFlags, triggerOptionsOf, withTriggerFlags } from './options/trigger-flags';
import { webhooksOf } from './options/webhooks';
import { onStopSignal } from './signals';

interface RunOptions extends MetricsFlags, ProfileFlags {
  logLevel?: string;
  metricsSchedule?: string[];
  alertWebhook?: string[];
}

export function addRunCommand(program: Command, environment: Environment): void {
  withProfiles(withMetrics(withTriggerFlags(withDatabase(program.command('run')))))
    .description('Run a trigger: claim due occurrences and start their workflows, until SIGTERM or SIGINT.')
    .addOption(logLevelOption())
    .option(
      '--metrics-schedule <schedule-id>',
      'a schedule that gets its own metrics, with the label schedule; may be repeated (default: none)',
      parseTexts,
    )
    .option(
      '--alert-webhook <url>',
      'send alerts there, signed by ESCAPEMENT_ALERT_SECRET as Standard Webhooks are; or unsigned: slack+URL for Slack, pagerduty for the service of ESCAPEMENT_PAGERDUTY_KEY; may be repeated (default: none)',
      parseTexts,
    )
    .action(async (options: DatabaseOptions & TriggerFlags & RunOptions) => {
      // The signal handlers are installed first, so that a signal while the process connects also leads to an orderly
      // stop.
      const stop = new AbortController();
      onStopSignal(() => stop.abort());
      const logger = loggerOf(options, environment);
      const { connection, namespaces } = temporalOf(environment, options);
      const trigger = await Trigger.create({
        ...postgresOf(environment, options),
        connection,
        namespaces,
        ...triggerOptionsOf(options),
        metricsSchedules: options.metricsSchedule ?? [],
        alerts: { webhooks: webhooksOf(options.alertWebhook, environment) },
        identity: environment.identity,
        logger,
      });
      if (stop.signal.aborted) trigger.shutdown();
      stop.signal.addEventListener('abort', () => trigger.shutdown());
      const served = { registry: trigger.metrics, health: () => trigger.health() };
      const endpoint = await serveMetrics(options, environment, served).catch(async (error) => {
        await trigger.close();
        throw error;
      });
      if (endpoint) logger.info('metrics are served', { url: endpoint.url });
      try {
        await trigger.run();
      } finally {
        await endpoint?.close();
      }
    });
}
