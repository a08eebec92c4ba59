import type { VersioningOverride } from '@temporalio/common';
import { temporal } from '@temporalio/proto';

const { PinnedOverrideBehavior } = temporal.api.workflow.v1.VersioningOverride;

export function versioningOverrideOf(override: VersioningOverride): temporal.api.workflow.v1.IVersioningOverride {
  if (override === 'AUTO_UPGRADE') return { autoUpgrade: true };
  return { pinned: { version: override.pinnedTo, behavior: PinnedOverrideBehavior.PINNED_OVERRIDE_BEHAVIOR_PINNED } };
}

/** An update of a run's options that only moves the run to another worker version. */
export function moveTo(override: VersioningOverride) {
  return {
    workflowExecutionOptions: { versioningOverride: versioningOverrideOf(override) },
    updateMask: { paths: ['versioning_override'] },
  };
}
