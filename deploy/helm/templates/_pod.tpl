{{- define "lamppost.labels" -}}
app.kubernetes.io/name: lamppost
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "lamppost.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* What is the same for everything that runs the image. `secret` and `role` come with it. */}}
{{- define "lamppost.environment" -}}
env:
  {{- range $name, $value := .root.Values.settings }}
  {{- if ne (toString $value) "" }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
  {{- end }}
  {{- end }}
  {{- if .role }}
  - { name: ROLE, value: {{ .role }} }
  {{- end }}
envFrom:
  {{- range .secrets }}
  - secretRef: { name: {{ . }} }
  {{- end }}
securityContext:
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "lamppost.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  # The account `node` of the image.
  runAsUser: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
volumes:
  - name: data
    emptyDir: { sizeLimit: {{ .Values.incoming }} }
  - name: tmp
    emptyDir: { sizeLimit: 256Mi }
{{- end }}
