#!/bin/sh
# cat.sh WEBNN: a quantized MobileNet names the cat in a photograph.
# WEBNN_MODELS_DIR has mobilenet_v1_0.25_128_quant.tflite, cat.bmp and imagenet_labels.txt.
[ -f "${WEBNN_MODELS_DIR:-}/mobilenet_v1_0.25_128_quant.tflite" ] || exit 77
cd "$WEBNN_MODELS_DIR" || exit 1
said=$("$1" run mobilenet_v1_0.25_128_quant.tflite --image cat.bmp --labels imagenet_labels.txt) || exit 1
echo "$said"
echo "$said" | grep -Eq '^ *1 .* cat'
