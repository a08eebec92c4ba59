/**
 * The commands of other programs that pages show, each with its options. An option that ends with `=` takes a value.
 * Options of a parent, such as `kubectl`, may stand after its commands too.
 */
export const OTHER_PROGRAMS: Readonly<Record<string, string>> = {
  // `aws rds generate-db-auth-token help` of AWS CLI 1.45; `configure export-credentials` is of version 2 only: its source,
  // awscli/customizations/configure/exportcreds.py. Of the global options, those that may matter here.
  aws: '--debug --endpoint-url= --no-verify-ssl --output= --profile= --region= --ca-bundle=',
  'aws configure export-credentials': '--format=',
  'aws rds generate-db-auth-token': '--hostname= --port= --username=',
  // crontab(1) of Debian.
  crontab: '-u= -l -r -e -i',
  // `curl --help all` of curl 7.88: some of them.
  curl: `
    -d= --data= -f --fail --fail-with-body -H= --header= -i --include -N --no-buffer -o= --output= -s --silent
    -u= --user= -X= --request=
  `,
  // `docker build --help` and `docker run --help` of Docker 28.2.2.
  'docker build': `
    --add-host= --build-arg= --cache-from= --cgroup-parent= --compress --cpu-period= --cpu-quota= -c=
    --cpu-shares= --cpuset-cpus= --cpuset-mems= --disable-content-trust -f= --file= --force-rm --iidfile=
    --isolation= --label= -m= --memory= --memory-swap= --network= --no-cache --platform= --pull -q --quiet --rm
    --security-opt= --shm-size= --squash -t= --tag= --target= --ulimit=
  `,
  'docker run': `
    --add-host= --annotation= -a= --attach= --blkio-weight= --blkio-weight-device= --cap-add= --cap-drop=
    --cgroup-parent= --cgroupns= --cidfile= --cpu-count= --cpu-percent= --cpu-period= --cpu-quota=
    --cpu-rt-period= --cpu-rt-runtime= -c= --cpu-shares= --cpus= --cpuset-cpus= --cpuset-mems= -d --detach
    --detach-keys= --device= --device-cgroup-rule= --device-read-bps= --device-read-iops= --device-write-bps=
    --device-write-iops= --disable-content-trust --dns= --dns-option= --dns-search= --domainname= --entrypoint=
    -e= --env= --env-file= --expose= --gpus= --group-add= --health-cmd= --health-interval= --health-retries=
    --health-start-interval= --health-start-period= --health-timeout= --help -h= --hostname= --init -i
    --interactive --io-maxbandwidth= --io-maxiops= --ip= --ip6= --ipc= --isolation= --kernel-memory= -l=
    --label= --label-file= --link= --link-local-ip= --log-driver= --log-opt= --mac-address= -m= --memory=
    --memory-reservation= --memory-swap= --memory-swappiness= --mount= --name= --network= --network-alias=
    --no-healthcheck --oom-kill-disable --oom-score-adj= --pid= --pids-limit= --platform= --privileged -p=
    --publish= -P --publish-all --pull= -q --quiet --read-only --restart= --rm --runtime= --security-opt=
    --shm-size= --sig-proxy --stop-signal= --stop-timeout= --storage-opt= --sysctl= --tmpfs= -t --tty --ulimit=
    --use-api-socket -u= --user= --userns= --uts= -v= --volume= --volume-driver= --volumes-from= -w= --workdir=
  `,
  // docs/reference/compose.md, compose_run.md and compose_up.md of github.com/docker/compose.
  'docker compose': `
    --all-resources --ansi= --compatibility --dry-run --env-file= -f= --file= --parallel= --profile= --progress=
    --project-directory= -p= --project-name=
  `,
  'docker compose run': `
    --build --cap-add= --cap-drop= -d --detach --entrypoint= -e= --env= -i --interactive -l= --label= --name= -T
    --no-TTY --no-deps -p= --publish= --quiet-pull --remove-orphans --rm -P --service-ports --use-aliases -u=
    --user= -v= --volume= -w= --workdir=
  `,
  'docker compose up': `
    --abort-on-container-exit --always-recreate-deps --attach= --attach-dependencies --build -d --detach
    --exit-code-from= --force-recreate --no-attach= --no-build --no-color --no-deps --no-log-prefix
    --no-recreate --no-start --pull= --quiet-pull --remove-orphans -V --renew-anon-volumes --scale= -t=
    --timeout= --timestamps --wait --wait-timeout=
  `,
  // `kubectl options` and `kubectl COMMAND --help` of kubectl 1.32.4.
  kubectl: '--as= --context= --kubeconfig= -n= --namespace= --request-timeout= -s= --server= --token= --user= -v=',
  'kubectl apply': `
    --all --allow-missing-template-keys --cascade= --dry-run= --field-manager= -f= --filename= --force
    --force-conflicts --grace-period= -k= --kustomize= --openapi-patch -o= --output= --overwrite --prune
    --prune-allowlist= -R --recursive -l= --selector= --server-side --show-managed-fields --subresource=
    --template= --timeout= --validate= --wait
  `,
  'kubectl delete': `
    --all -A --all-namespaces --cascade= --dry-run= --field-selector= -f= --filename= --force --grace-period=
    --ignore-not-found -i --interactive -k= --kustomize= --now -o= --output= --raw= -R --recursive -l=
    --selector= --timeout= --wait
  `,
  'kubectl exec': '-c= --container= -f= --filename= --pod-running-timeout= -q --quiet -i --stdin -t --tty',
  'kubectl get': `
    -A --all-namespaces --allow-missing-template-keys --chunk-size= --field-selector= -f= --filename=
    --ignore-not-found -k= --kustomize= -L= --label-columns= --no-headers -o= --output= --output-watch-events
    --raw= -R --recursive -l= --selector= --server-print --show-kind --show-labels --show-managed-fields
    --sort-by= --subresource= --template= -w --watch --watch-only
  `,
  'kubectl rollout status': `
    -f= --filename= -k= --kustomize= -R --recursive --revision= -l= --selector= --timeout= -w --watch
  `,
  'kubectl rollout undo': `
    --allow-missing-template-keys --dry-run= -f= --filename= -k= --kustomize= -o= --output= -R --recursive -l=
    --selector= --show-managed-fields --template= --to-revision=
  `,
  'kubectl scale': `
    --all --allow-missing-template-keys --current-replicas= --dry-run= -f= --filename= -k= --kustomize= -o=
    --output= -R --recursive --replicas= --resource-version= -l= --selector= --show-managed-fields --template=
    --timeout=
  `,
  'kubectl wait': `
    --all -A --all-namespaces --allow-missing-template-keys --field-selector= -f= --filename= --for= --local -o=
    --output= -R --recursive -l= --selector= --show-managed-fields --template= --timeout=
  `,
  // `npm COMMAND --help` of npm 11.19.1; of the options that every command takes, those of its page on configuration that
  // may matter here.
  npm: '--loglevel= --prefix= -s --silent --registry=',
  'npm audit': `
    --audit-level= --dry-run -f --force --json --package-lock-only --no-package-lock --omit= --include=
    --foreground-scripts --ignore-scripts --include-attestations -w= --workspace= --workspaces
    --include-workspace-root --install-links
  `,
  'npm audit signatures': '',
  'npm ci': `
    --install-strategy= --legacy-bundling --global-style --omit= --include= --strict-peer-deps
    --foreground-scripts --ignore-scripts --allow-directory= --allow-file= --allow-git= --allow-remote=
    --allow-scripts= --strict-allow-scripts --dangerously-allow-all-scripts --no-audit --no-bin-links --no-fund
    --dry-run -w= --workspace= --workspaces --include-workspace-root --install-links
  `,
  'npm init': `
    --init-author-name= --init-author-url= --init-license= --init-module= --init-type= --init-version=
    --init-private -y --yes -f --force --scope= -w= --workspace= --workspaces --no-workspaces-update
    --include-workspace-root
  `,
  'npm install': `
    -S --save --no-save --save-prod --save-dev --save-optional --save-peer --save-bundle -E --save-exact -g
    --global --install-strategy= --legacy-bundling --global-style --omit= --include= --strict-peer-deps
    --prefer-dedupe --no-package-lock --package-lock-only --foreground-scripts --ignore-scripts
    --allow-directory= --allow-file= --allow-git= --allow-remote= --allow-scripts= --strict-allow-scripts
    --dangerously-allow-all-scripts --no-audit --before= --min-release-age= --min-release-age-exclude=
    --no-bin-links --no-fund --dry-run --cpu= --os= --libc= -w= --workspace= --workspaces
    --include-workspace-root --install-links
  `,
  'npm pack': `
    --dry-run --json --pack-destination= -w= --workspace= --workspaces --include-workspace-root --ignore-scripts
  `,
  // What `npm run NAME --` takes is in own-scripts.test.ts, as is what `npm test --` takes.
  'npm run': '',
  'npm test': '',
  // `openssl rand -help` of OpenSSL 3.0.19.
  'openssl rand': '-help -engine= -out= -base64 -hex -rand= -writerand= -provider-path= -provider= -propquery=',
  // pg_dump(1) of Postgres 15.
  pg_dump: `
    -a --data-only -b --blobs -B --no-blobs -c --clean -C --create -e= --extension= -E= --encoding= -f= --file=
    -F= --format= -j= --jobs= -n= --schema= -N= --exclude-schema= -O --no-owner -R --no-reconnect -s
    --schema-only -S= --superuser= -t= --table= -T= --exclude-table= -v --verbose -V --version -x
    --no-privileges --no-acl -Z= --compress= --binary-upgrade --column-inserts --attribute-inserts
    --disable-dollar-quoting --disable-triggers --enable-row-security --exclude-table-data=
    --extra-float-digits= --if-exists --include-foreign-data= --inserts --load-via-partition-root
    --lock-wait-timeout= --no-comments --no-publications --no-security-labels --no-subscriptions --no-sync
    --no-table-access-method --no-tablespaces --no-toast-compression --no-unlogged-table-data
    --on-conflict-do-nothing --quote-all-identifiers --restrict-key= --rows-per-insert= --section=
    --serializable-deferrable --snapshot= --strict-names --use-set-session-authorization --help -d= --dbname=
    -h= --host= -p= --port= -U= --username= -w --no-password -W --password --role=
  `,
  // docs/command-line/promtool.md of github.com/prometheus/prometheus.
  'promtool test': '--junit=',
  'promtool test rules': '--run= --debug --diff --ignore-unknown-fields --coverage --coverage-threshold=',
  // `systemctl --help` of systemd 252.
  systemctl: `
    -h --help --version --system --user -H= --host= -M= --machine= -t= --type= --state= --failed -p= --property=
    -a --all -l --full -r --recursive --reverse --with-dependencies --job-mode= -T --show-transaction
    --show-types --value --check-inhibitors= --kill-whom= -s= --signal= --what= --now --dry-run -q --quiet
    --wait --no-block --no-wall --no-reload --legend= --no-pager --no-ask-password --global --runtime -f --force
    --preset-mode --root= --image= -n= --lines= -o= --output= --firmware-setup --boot-loader-menu=
    --boot-loader-entry= --plain --timestamp= --read-only --mkdir --marked
  `,
  'systemctl enable': '',
  'systemctl start': '',
  // `temporal workflow COMMAND --help` of Temporal CLI 1.5.1, with the global options.
  temporal: `
    --address= --api-key= --client-authority= --client-connect-timeout= --codec-auth= --codec-endpoint=
    --codec-header= --color= --command-timeout= --config-file= --disable-config-env --disable-config-file --env=
    --env-file= --grpc-meta= --identity= --log-format= -n= --namespace= --no-json-shorthand-payloads -o=
    --output= --profile= --time-format= --tls --tls-ca-data= --tls-ca-path= --tls-cert-data= --tls-cert-path=
    --tls-disable-host-verification --tls-key-data= --tls-key-path= --tls-server-name=
  `,
  'temporal workflow cancel': '--workflow-id= -h --help -q= --query= --reason= --rps= -r= --run-id= -w= -y --yes',
  'temporal workflow count': '--query= -h --help -q=',
  'temporal workflow delete': '--workflow-id= -h --help -q= --query= --reason= --rps= -r= --run-id= -w= -y --yes',
  'temporal workflow signal': `
    -h --help -i= --input= --input-base64 --input-file= --input-meta= --name= -q= --query= --reason= --rps= -r=
    --run-id= -w= --workflow-id= -y --yes
  `,
  'temporal workflow terminate': '--workflow-id= -h --help -q= --query= --reason= --rps= -r= --run-id= -w= -y --yes',
  'temporal workflow update-options': `
    --versioning-override-behavior= --versioning-override-build-id= -h --help -q= --query= --reason= --rps= -r=
    --run-id= --versioning-override-deployment-name= -w= --workflow-id= -y --yes
  `,
  // `vitest --help` of the version in package.json.
  'vitest run': '--project= -t= --testNamePattern= --update -u',
};

/** After the first argument of these, the words belong to another program. */
export const RUN_OTHERS: readonly string[] = ['docker run', 'docker compose run', 'npm run', 'npm test'];
