import { type Command, Option } from 'commander';
import { pinoLogger } from '../trigger/logging';
import { Trigger } from '../trigger/trigger';
import { type DatabaseOptions, type Environment, postgresOf, withDatabase } from './environment';
import { namespacesOf, parseNamespaceProfile, profilesOf } from './namespaces';
import { onStopSignal } from './signals';
import { type TriggerFlags, triggerOptionsOf, withTriggerFlags } from './trigger-flags';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'];

/** `escapement run`: the trigger process. */
export function addRunCommand(program: Command, environment: Environment): void {
  withTriggerFlags(withDatabase(program.command('run')))
    .description('Claim what is due and start its workflows, until SIGTERM or SIGINT.')
    .addOption(new Option('--log-level <level>', 'default: ESCAPEMENT_LOG_LEVEL, else info').choices(LOG_LEVELS))
    .option(
      '--namespace-profile <namespace=profile...>',
      "a Temporal namespace on a server of its own, by the name of a profile in Temporal's configuration (default: ESCAPEMENT_NAMESPACE_PROFILES)",
      parseNamespaceProfile,
    )
    .action(
      async (
        options: DatabaseOptions & TriggerFlags & { logLevel?: string; namespaceProfile?: [string, string][] },
      ) => {
        // From the start: a signal while connecting is an orderly stop too.
        const stop = new AbortController();
        onStopSignal(() => stop.abort());
        const { connectionOptions } = environment.temporal();
        const profiles = options.namespaceProfile ?? profilesOf(environment.namespaceProfiles);
        const trigger = await Trigger.create({
          ...postgresOf(environment, options),
          connection: connectionOptions,
          namespaces: namespacesOf(environment, profiles),
          ...triggerOptionsOf(options),
          identity: environment.identity,
          logger: pinoLogger(options.logLevel ?? environment.logLevel),
        });
        if (stop.signal.aborted) trigger.shutdown();
        stop.signal.addEventListener('abort', () => trigger.shutdown());
        await trigger.run();
      },
    );
}
