import type { VersioningOverride } from '@temporalio/common';
import { temporal } from '@temporalio/proto';

const { PinnedOverrideBehavior } = temporal.api.workflow.v1.VersioningOverride;

/** On which worker version a run goes on, as Temporal's API has it. */
export function versioningOverrideOf(override: VersioningOverride): temporal.api.workflow.v1.IVersioningOverride {
  if (override === 'AUTO_UPGRADE') return { autoUpgrade: true };
  return { pinned: { version: override.pinnedTo, behavior: PinnedOverrideBehavior.PINNED_OVERRIDE_BEHAVIOR_PINNED } };
}

/** The change of a run's options that moves it to another worker version, and nothing else. */
export function moveTo(override: VersioningOverride) {
  return {
    workflowExecutionOptions: { versioningOverride: versioningOverrideOf(override) },
    updateMask: { paths: ['versioning_override'] },
  };
}
