/**
 * Whether a namespace counts as away because it refuses the credentials, although it answers.
 *
 * @param away.status the name of the gRPC status
 */
export function isCredentials({ status }: { status?: string | undefined }): boolean {
  return status === 'UNAUTHENTICATED' || status === 'PERMISSION_DENIED';
}
