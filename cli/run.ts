import type { Command } from 'commander';
import { pinoLogger } from '../trigger/logging';
import { Trigger } from '../trigger/trigger';
import { type DatabaseOptions, type Environment, postgresOf, withDatabase } from './environment';
import { onStopSignal } from './signals';

/** `escapement run`: the trigger process. */
export function addRunCommand(program: Command, environment: Environment): void {
  withDatabase(program.command('run'))
    .description('Claim what is due and start its workflows, until SIGTERM or SIGINT.')
    .option('--log-level <level>', 'trace, debug, info, warn or error (default: ESCAPEMENT_LOG_LEVEL, else info)')
    .action(async (options: DatabaseOptions & { logLevel?: string }) => {
      const { connectionOptions } = environment.temporal();
      const trigger = await Trigger.create({
        ...postgresOf(environment, options),
        connection: connectionOptions,
        identity: environment.identity,
        logger: pinoLogger(options.logLevel ?? environment.logLevel),
      });
      onStopSignal(() => trigger.shutdown());
      await trigger.run();
    });
}
