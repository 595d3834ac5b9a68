{{- define "loom.name" -}}
{{- if contains "loom" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-loom" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "loom.selector" -}}
app.kubernetes.io/name: loom
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "loom.labels" -}}
{{ include "loom.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "loom.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* Of every pod: who it runs as and with. */}}
{{- define "loom.pod" -}}
automountServiceAccountToken: false
# Else the Service of a release named loom would stand in the environment as LOOM_PORT.
enableServiceLinks: false
{{- if .Values.serviceAccount.name }}
serviceAccountName: {{ .Values.serviceAccount.name }}
{{- end }}
{{- if .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml .Values.imagePullSecrets | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- end -}}

{{/* Of every container. Nothing is written outside /data and /tmp. */}}
{{- define "loom.container" -}}
image: {{ include "loom.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: ["ALL"]
volumeMounts:
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
{{- end -}}

{{/* The root token of a gateway lies in /data and is made anew with each pod. */}}
{{- define "loom.volumes" -}}
- name: data
  emptyDir:
    medium: Memory
    sizeLimit: 16Mi
- name: tmp
  emptyDir: {}
{{- end -}}

{{/* Where the stores are. */}}
{{- define "loom.stores" -}}
- name: LOOM_CLICKHOUSE_URL
  value: {{ required "clickhouse.url is required" .Values.clickhouse.url | quote }}
- name: LOOM_CLICKHOUSE_USER
  value: {{ .Values.clickhouse.user | quote }}
{{- if .Values.clickhouse.existingSecret }}
- name: LOOM_CLICKHOUSE_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ .Values.clickhouse.existingSecret }}
      key: {{ .Values.clickhouse.passwordKey }}
{{- end }}
- name: LOOM_POSTGRES_URL
  valueFrom:
    secretKeyRef:
      name: {{ required "postgres.existingSecret is required" .Values.postgres.existingSecret }}
      key: {{ .Values.postgres.urlKey }}
{{- end -}}

{{/* What gateways and runners read alike. */}}
{{- define "loom.settings" -}}
{{ include "loom.stores" . }}
{{- if .Values.metrics.existingSecret }}
- name: LOOM_METRICS_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ .Values.metrics.existingSecret }}
      key: {{ .Values.metrics.tokenKey }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name, $from := .Values.secretSettings }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $from.secret }}
      key: {{ $from.key }}
{{- end }}
{{- end -}}

{{/* The health port is the one of HTTP in every process of the image. */}}
{{- define "loom.probes" -}}
startupProbe:
  httpGet: {path: /livez, port: http}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /livez, port: http}
  periodSeconds: 10
  timeoutSeconds: 3
  failureThreshold: 3
readinessProbe:
  httpGet: {path: /readyz, port: http}
  periodSeconds: 3
  timeoutSeconds: 3
  failureThreshold: 2
lifecycle:
  preStop:
    exec:
      command: ["sleep", {{ .Values.preStopSeconds | quote }}]
{{- end -}}
