import type { VersioningOverride } from '@temporalio/common';
import { type Command, Option } from 'commander';

/** Flags for the worker version on which a run continues. These flags have the names of the Temporal CLI. */
export interface VersioningFlags {
  versioningOverrideBehavior?: 'auto_upgrade' | 'pinned';
  versioningOverrideDeploymentName?: string;
  versioningOverrideBuildId?: string;
}

export function withVersioningOverride(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--versioning-override-behavior <behavior>',
        'continue with another worker version: auto_upgrade uses the current one, pinned uses the one of the next two flags',
      ).choices(['auto_upgrade', 'pinned']),
    )
    .option('--versioning-override-deployment-name <name>', 'worker deployment to pin to')
    .option('--versioning-override-build-id <id>', 'build of that deployment to pin to');
}

/**
 * The worker version from these flags, if there are any. The command ends with an error if they do not fit together.
 */
export function versioningOverrideOf(
  flags: VersioningFlags,
  command: Command,
): { versioningOverride?: VersioningOverride } {
  const { versioningOverrideBehavior, versioningOverrideDeploymentName, versioningOverrideBuildId } = flags;
  const isPinned = versioningOverrideBehavior === 'pinned';
  const named = [versioningOverrideDeploymentName, versioningOverrideBuildId].filter((part) => part !== undefined);
  if (named.length !== (isPinned ? 2 : 0)) {
    command.error(
      'error: give --versioning-override-behavior pinned, --versioning-override-deployment-name and --versioning-override-build-id together',
    );
  }
  if (versioningOverrideBehavior === undefined) return {};
  if (!isPinned) return { versioningOverride: 'AUTO_UPGRADE' };
  const [deploymentName, buildId] = named as [string, string];
  return { versioningOverride: { pinnedTo: { deploymentName, buildId } } };
}
